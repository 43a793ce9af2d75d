import { cut, headline, oneLine } from "../../../error-text.ts";
import { targetOf } from "../../page/target.ts";
import type { Evidence, Finding } from "../../types.ts";
import { lapse, partingOf, quoted, quotedStep } from "../../words.ts";

/** What the test wanted and got: it describes the failure, and is its cause only where nothing else explains it. */
export function detectAssertion(evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const { step, message, expected, received } = failed;
  const seq = step?.seq ?? run.facts.lastSeq;
  // Of values that passes tell the reading step is told of.
  if (seq === null || failed.isExpectedByPasses) return [];
  const spent = /^(?:Test|.* hook) timeout of (\d+) ?ms exceeded/i.exec(message);
  const hung =
    spent && step
      ? `The test ran out of time (${lapse(Number(spent[1]))}) while ${quotedStep(step)} was going on`
      : null;
  const said =
    hung ??
    pictureDiffers(message) ??
    ([oneLine(headline(message)), moreOf(message)].filter(Boolean).join(": ") || oneLine(failed.title));
  // A message that names what was expected says what was found as well.
  const isSaid = expected !== null && said.includes(oneLine(expected));
  const values =
    hung === null && expected !== null && received !== null && !isSaid
      ? `${
          inWords(evidence, expected, received) ??
          `${said.replace(/\.$/, "")}: expected ${oneLine(expected)}, received ${oneLine(received)}`
        }${onlyIn(unquoted(expected), unquoted(received))}`
      : said;
  return [
    {
      kind: "assertion",
      title: values,
      detail: message,
      step_id: step?.step_id ?? null,
      events: [seq],
      ts: null,
      is_new: null,
      weight: 0.25,
    },
  ];
}

/** Playwright's own words for an assertion of a locator or a page, where the test has none of its own. */
const ASSERTION =
  /^(?:Error: )?(?:Timed out \d+ms waiting for )?expect\((locator|page)\)\.(?:not\.)?to(\w+)\(/;

/** What was found where and what the test expects there, as a person says it; null where the assertion is of another kind. */
function inWords(evidence: Evidence, expected: string, received: string): string | null {
  const [, of, matcher = ""] = ASSERTION.exec(evidence.failed.message) ?? [];
  const target = of === "page" ? "the page" : targetOf(evidence);
  if (of === undefined || target === "" || /not found>/.test(received)) return null;
  const [want, got] = shownApart(oneLine(expected), oneLine(received));
  const wanted = `where the test expects ${want}`;
  if (matcher === "MatchAriaSnapshot") return `${target} lacks ${want} of the aria snapshot and has ${got}`;
  if (matcher === "HaveCount")
    return `${target} was there ${got === "1" ? "once" : `${got} times`} ${wanted}`;
  if (matcher === "HaveURL") return `The page was at ${got} ${wanted}`;
  if (matcher === "HaveTitle") return `The page was titled ${got} ${wanted}`;
  return HAS.test(matcher) ? `${target} had ${got} ${wanted}` : null;
}

const LONGEST_VALUE = 120;

/** Two values as they are told: those that begin alike for long from shortly before they part. */
function shownApart(expected: string, received: string): [string, string] {
  const [want, got] = partingOf(expected, received) as [string, string];
  return [want, got].map((text) =>
    want === expected ? cut(text, LONGEST_VALUE) : quoted(unquoted(text), LONGEST_VALUE),
  ) as [string, string];
}

const unquoted = (text: string): string => text.replace(/^"|"$/g, "");

/** What two texts may differ in alone, the least first. */
const APART: [string, (text: string) => string][] = [
  ["spaces", (text) => text.replace(/\s+/g, "")],
  ["upper and lower case", (text) => text.toLowerCase()],
  ["quotation marks", (text) => text.replace(/\\?["'`“”„‘’«»]/g, "")],
  ["punctuation", (text) => text.replace(/[\p{P}\s]+/gu, "")],
];

/** What the text that the test met differs in from the one that it wants, where that is easily overlooked, as a clause. */
function onlyIn(want: string, got: string): string {
  if (want === got || !/\p{L}{2}/u.test(want)) return "";
  const [what] = APART.find(([, plain]) => plain(want) === plain(got)) ?? [];
  if (what !== undefined) return `; the two differ in ${what} alone`;
  return got.length >= SHORTEST_BEGINNING && want.startsWith(got) ? "; it is only the beginning of that" : "";
}

const SHORTEST_BEGINNING = 8;
const HAS = /^(?:Contain|Have)(?:Text|Values?|Attribute|Class|CSS|Id|Role|JSProperty|Accessible\w+)$/;

/** A screenshot that is another one than the kept, by how much. */
function pictureDiffers(message: string): string | null {
  const [, pixels, ratio] = /^[ \t]*(\d+) pixels \(ratio ([\d.]+) of all image pixels\)/m.exec(message) ?? [];
  if (pixels === undefined || !/toHaveScreenshot|toMatchSnapshot/.test(message)) return null;
  const kept = /^[ \t]*Snapshot: (.+)$/m.exec(message)?.[1];
  const percent = Math.round(Number(ratio) * 100);
  return `The screenshot differs from ${kept === undefined ? "the kept one" : oneLine(kept)} in ${pixels} pixels (${percent || "less than 1"} %)`;
}

/** What a message without values says of its failure below its first line. */
function moreOf(message: string): string | null {
  const found =
    /^[ \t]*(Expected an image .+|(?:TypeError|ReferenceError|SyntaxError|RangeError): .+)$/m.exec(
      message.split("\n").slice(1).join("\n"),
    );
  return found ? oneLine(found[1]!) : null;
}
