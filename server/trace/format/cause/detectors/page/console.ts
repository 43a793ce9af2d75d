import { headline, oneLine } from "../../../error-text.ts";
import { isBefore, isNew } from "../../compare.ts";
import { ADDED, isAddedScript } from "../../exchanges/added-script.ts";
import { nullAsUsual } from "../../exchanges/null-read.ts";
import { isWrite } from "../../exchanges/sent.ts";
import { oncePer } from "../../once.ts";
import { isConsole, lineKey } from "../../run/keys.ts";
import type { Exchange, Line, RunFacts } from "../../run/run-facts.ts";
import { actionBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, addressOf, isForeign, isTracker, pathOf } from "../../words.ts";

/** As many of the lines that say the same, figures aside, as a suspect names: a script may log a thousand times where it is. */
const MOST_ALIKE = 20;

/** Uncaught errors of the page, and what it logged as errors and warnings. */
export function detectConsole(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  const found = facts.lines
    .filter(
      (line) =>
        isConsole(line) &&
        (line.level === "error" || line.level === "warning") &&
        isBefore(evidence, line.ts),
    )
    .slice(-1_000)
    .map((line) => findingOf(evidence, line));
  return lastOf(found, found.length, atMost(MOST_ALIKE));
}

/** Whether a finding is among the first so many that say the same; what passes have as well always is, as it is counted. */
function atMost(most: number): (finding: Finding) => boolean {
  const counts = new Map<string, number>();
  return ({ about, is_new, title }) => {
    if (is_new === false) return true;
    const thing = (about ?? title).replace(/\d+/g, "#");
    const count = (counts.get(thing) ?? 0) + 1;
    counts.set(thing, count);
    return count <= most;
  };
}

function findingOf(evidence: Evidence, line: Line): Finding {
  const { facts } = evidence.run;
  const words = wordsOf(line);
  const isLogged = /^(?:Uncaught )?\w*Error\b.*\n\s+at /.test(words);
  const isUncaught = line.source === "page" || isLogged || /^Uncaught\b/.test(words);
  const place = ownFrame(isLogged && line.stack === "" ? { ...line, stack: words } : line);
  const said = saidIn(words);
  const key = lineKey(line, facts);
  const is_new = isNew(evidence, (pass) => pass.facts.hasLine(key) || hasLineOfForm(pass, line));
  const usual = is_new ? nullAsUsual(evidence, line) : "";
  const isLoad = /^Failed to load resource/.test(line.text);
  return {
    kind: isUncaught ? (isChunk(line.text) ? "script_failed" : "page_error") : "console_error",
    title: isUncaught
      ? `The page threw ${said}${place ? ` at ${place}` : unparsed(said, line, evidence)}${usual}`
      : `The page logged ${line.level === "warning" ? "the warning" : "the error"}: ${said}${usual}`,
    detail: line.stack || (line.text !== said ? line.text : null),
    step_id: line.step_id,
    events: [line.seq],
    ts: line.ts,
    is_new,
    weight:
      isUncaught && isOvercome(line, evidence)
        ? OVERCOME
        : isUncaught && isOfAddedScript(said, line, evidence)
          ? ADDED
          : isLoad && isUnneeded(line, facts)
            ? UNNEEDED
            : Math.max(
                weightOf({ ...line, text: words }, isUncaught),
                isComplaint(line, evidence) ? COMPLAINT : 0,
              ),
    ...(isUncaught && isInjected(line) && { isInjected: true }),
    about: isLoad && line.url !== null ? aboutUrl(line.url, facts) : aboutLine(line, facts),
    isOwn: line.url === null || !(isTracker(line.url) || isForeign(line.url, facts)),
  };
}

/** A word that may have been made for one run: as a part of a line it is another one each time. */
const MADE_WORD = /\b(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{8,24}\b/gi;
const formOf = (line: Line): string =>
  `${line.level} ${line.text.slice(0, LONGEST_FORM).replace(MADE_WORD, "<id>")}`;
const LONGEST_FORM = 500;

/** Whether a pass logged the same with another such word. */
const hasLineOfForm = (pass: RunEvidence, line: Line): boolean => {
  const form = formOf(line);
  return form.includes("<id>") && formsOf(pass, "forms").has(form);
};

const formsOf = oncePer(
  ({ facts }: RunEvidence, _: "forms") => new Set(lastOf(facts.lines, MOST_LINES, isConsole).map(formOf)),
);

const MOST_LINES = 5_000;

/** Of a file that no page waits for: what the failed step says of itself tells more. */
const UNNEEDED = 0.15;
const DECKS = /\.(?:ico|png|jpe?g|gif|webp|avif|svg|woff2?|ttf|otf|map|webmanifest)$/i;

/** Whether what did not load only decks the page, or was the browser's own wish: what pages ask for is in the recorded network. */
const isUnneeded = ({ url }: Line, { exchanges }: RunFacts): boolean =>
  url !== null &&
  (DECKS.test(pathOf(url)) || (exchanges.length > 0 && !exchanges.some((one) => one.url === url)));

/** Of an error that the page lived with. */
const OVERCOME = 0.5;

/** Whether an error was thrown in another document than the one that the step looked at, and the page wrote well after it. */
function isOvercome({ page, ts }: Line, { run, failed }: Evidence): boolean {
  const here = run.page?.shot.page ?? failed.step?.page ?? null;
  if (page === null || here === null) return false;
  const since = run.facts.exchanges.filter((one) => one.ts > ts && (one.end ?? one.ts) <= failed.from);
  const isLeft = page !== here || since.some((one) => one.page === page && one.type === "document");
  return (
    isLeft &&
    since.some(
      (one) =>
        one.page === page &&
        one.status !== null &&
        one.status < 400 &&
        !isTracker(one.url) &&
        !isForeign(one.url, run.facts) &&
        isWrite(one, run),
    )
  );
}

/** Whether a script without an address threw it: what tests bring into a page has none. */
const isInjected = ({ url, stack }: Line): boolean =>
  (url === null || url === "") &&
  /^[ \t]*at <anonymous>/m.test(stack) &&
  !/\b(?:https?|file):\/\//.test(stack);

/** Libraries that catch an error log it whole, placeholders of the format before it (React's error boundaries). */
const wordsOf = ({ text }: Line): string => text.replace(/%[sdifoOc]/g, " ").trim();

const saidIn = (words: string): string =>
  oneLine(headline(words, 300)).replace(/^Uncaught (?:\(in promise\) )?/, "");

/** What findings about what a line says are about. */
export const aboutLine = (line: Line, facts: RunFacts): string =>
  `error ${echoKey(saidIn(wordsOf(line)), facts)}`;

/** Libraries print an error again with words of their own around it. */
function echoKey(said: string, { normaliser }: RunFacts): string {
  return normaliser.text(said.replace(/^(?:[A-Z]\w*Error|Error): /, "")).slice(0, 120);
}

function unparsed(said: string, line: Line, { run: { facts } }: Evidence): string {
  const script = unparsedScript(said, line, facts);
  return script ? `, when ${addressOf(script.url, facts)} came` : "";
}

/** An engine tells no place of a script that it cannot parse: it is the one that had just come. */
function unparsedScript(said: string, { ts }: Line, { exchanges }: RunFacts): Exchange | undefined {
  if (!/^SyntaxError/.test(said) || /JSON/.test(said)) return undefined;
  return exchanges.findLast(
    ({ type, ts: asked, status }) => type === "script" && status !== null && status < 400 && asked <= ts,
  );
}

function isOfAddedScript(said: string, line: Line, evidence: Evidence): boolean {
  const script = unparsedScript(said, line, evidence.run.facts);
  return script !== undefined && isAddedScript(evidence, script);
}

const isChunk = (text: string) =>
  /ChunkLoadError|Loading (?:CSS )?chunk \S+ failed|dynamically imported module|Importing a module script failed/i.test(
    text,
  );

function weightOf({ text, level, source }: Line, isUncaught: boolean): number {
  if (isChunk(text)) return 0.92;
  if (/ResizeObserver loop|Non-Error promise rejection/i.test(text)) return 0.15;
  if (isUncaught || source === "page")
    return /NetworkError|Failed to fetch|Load failed|status code|HTTP/i.test(headline(text, 300))
      ? 0.8
      : 0.88;
  if (/^Failed to load resource/.test(text)) return 0.3;
  if (/\bblocked by Playwright\b/.test(text)) return 0.82;
  if (REFUSED.test(text)) return 0.7;
  if (level === "warning" || /^Warning:|deprecat|\[HMR\]|DevTools|act\(\.\.\.\)|unique "key"/i.test(text))
    return 0.25;
  // Error boundaries and handlers say in the console what they caught.
  return /\b(?:TypeError|ReferenceError|RangeError|SyntaxError|Hydration|hydrat|The above error|Invariant)\b/.test(
    text,
  )
    ? 0.82
    : 0.62;
}

/** Of a warning that says what went wrong. */
const COMPLAINT = 0.5;
const COMPLAINS =
  /\b(?:did not|does not exist|could not|cannot|can't|couldn't|failed to|not found|no such|unable to|unknown|invalid|refused|denied|rejected|missing)\b/i;
/** What libraries say of how a page is written, and not of what it could not do. */
const OF_STYLE = /deprecat|^Warning:|\[HMR\]|DevTools|act\(|unique "key"|preload|Failed to load resource/i;

/** A warning of what could not be done for the last action. */
function isComplaint({ level, text, ts }: Line, { run, failed }: Evidence): boolean {
  const since = actionBefore(run.facts, failed)?.ts;
  return (
    level === "warning" && since !== undefined && ts >= since && COMPLAINS.test(text) && !OF_STYLE.test(text)
  );
}

/** What the browser refuses a script, by its names of them: a page that catches it and goes on may only warn of it. */
const REFUSED =
  /\b(?:QuotaExceeded|NotAllowed|Security|InvalidState|DataClone|NotReadable|Encoding|Constraint|Version)Error\b/;

const FOREIGN =
  /node_modules|\/vendors?[./~-]|chunk-vendors|react-dom|\/react[.@/-]|vue(?:\.|@)|angular|jquery|zone\.js|polyfill|webpack[/-]|\/runtime[.~-]|cdn\.|unpkg|jsdelivr|<anonymous>|^native|\(native/i;

const LONGEST_FRAME = 4_000;
const FRAME =
  /^(?:at )?(?:(.*?)[ @]\(?)?((?:https?|file|webpack(?:-internal)?|app):\/{2,3}[^\s()]+?):(\d+)(?::(\d+))?\)?$/;

/** The first place of a stack that is in the product's own code: `cart.js:42 (renderTotal)`. */
function ownFrame({ stack, url, place }: Line): string | null {
  const frames = stack.split("\n").flatMap((line) => {
    const at = line.length > LONGEST_FRAME ? null : FRAME.exec(line.trim());
    return at ? [{ name: at[1]?.trim() ?? "", file: at[2]!, line: at[3]! }] : [];
  });
  const own = frames.find(({ file }) => !FOREIGN.test(file)) ?? frames[0];
  if (own)
    return `${addressOf(own.file, { authority: hostOf(own.file) })}:${own.line}${own.name && own.name !== "async" ? ` (${own.name})` : ""}`;
  return url !== null && place !== null
    ? `${addressOf(url, { authority: hostOf(url) })}:${place.split(":")[0]}`
    : null;
}

const hostOf = (url: string) => URL.parse(url)?.host ?? null;
