import { answerFinding } from "../../exchanges/answer-finding.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { calledIn } from "../../values/beside.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, NOTHING, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 40;
const SHORTEST = 3;
const MOST_TOLD = 2;

/** What an answer has as the test wants it, and the page leaves blank: an empty element, a gap in its text, a list of nothing. */
export function detectLeftBlank(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  if (failed.expected === null || failed.received === null) return [];
  const [want, got] = [bareOf(failed.expected), bareOf(failed.received)];
  const sought = textsIn(want, got) ?? gapIn(want, got);
  if (sought === null) return [];
  const answers = answersBefore(evidence, MOST, (one) => isData(one) && !isBeside(one));
  for (const one of answers.toReversed()) {
    const leaves = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""));
    const found = sought.texts.map((text) => leaves.find(({ value }) => value === text));
    const [leaf] = found;
    if (!leaf || found.includes(undefined)) continue;
    if (sought.isWithin && !isOfSame(evidence, one, leaf, leaves)) continue;
    if (!sought.isWithin && isNothingThere(evidence, leaves)) return [];
    const said = sought.texts.slice(0, MOST_TOLD).map((text) => quoted(text, 60));
    const place = sought.isList ? leaf.path.replace(/(^|\.)\d+(?=\.|$)/, "$1*") : leaf.path;
    return [
      answerFinding(
        evidence,
        one,
        `${requestOf(one, run.facts)} answered ${said.join(" and ")} for ${quoted(place, 60)}, as the test wants, but ${targetOf(evidence) || "the page"} ${shownIn(evidence, sought, got)}: the page may look for ${sought.texts.length > 1 ? "them" : "it"} by another name`,
        0.74,
      ),
    ];
  }
  return [];
}

interface Sought {
  texts: string[];
  /** Whether it is missing within a text that is there. */
  isWithin: boolean;
  isList: boolean;
}

const isData = ({ type }: Exchange): boolean => /^(?:xhr|fetch)$/.test(type ?? "");

/** The texts of a list of which there are none. */
function textsIn(want: string, got: string): Sought | null {
  if (!/^(?:Array )?\[\s*\]$/.test(got) || !/^(?:Array )?\[/.test(want)) return null;
  const texts = [...want.matchAll(/"([^"]{1,200})"/g)].map(([, text]) => text!);
  return texts.length > 0 && texts.every((text) => text.length >= SHORTEST)
    ? { texts, isWithin: false, isList: true }
    : null;
}

/** What a text lacks of the wanted one, all around it being as it should be. */
function gapIn(want: string, got: string): Sought | null {
  const shown = got.replace(NOTHING, "");
  if (/^\/.*\/[a-z]*$/.test(want) || shown.length >= want.length) return null;
  let from = 0;
  while (from < shown.length && want[from] === shown[from]) from++;
  const rest = shown.slice(from);
  const text = want.endsWith(rest) ? want.slice(from, want.length - rest.length).trim() : "";
  return text.length >= SHORTEST && /\p{L}{2}/u.test(text)
    ? { texts: [text], isWithin: /[\p{L}\p{N}]/u.test(shown), isList: false }
    : null;
}

/** Whether a value is of the thing that the text is of, or the page shows it in another place. */
function isOfSame(evidence: Evidence, one: Exchange, leaf: Leaf, leaves: readonly Leaf[]): boolean {
  const { run, failed } = evidence;
  return (
    calledIn(`${failed.received} ${targetOf(evidence)}`, leaves, leaf) !== null ||
    // Of a list of things it may be another one's.
    (!SIGN_IN.test(one.url) &&
      !/(?:^|\.)\d+\./.test(leaf.path) &&
      (run.page?.elements ?? []).some(({ own, isHidden }) => !isHidden && own === leaf.value))
  );
}

/** Whether what the element is called by is empty in that answer: then nothing is what there is to show. */
function isNothingThere(evidence: Evidence, leaves: readonly Leaf[]): boolean {
  const target = targetOf(evidence).toLowerCase();
  return leaves.some(
    ({ path, value }) =>
      (value === null || value === "") && target.includes(path.split(".").at(-1)!.toLowerCase()),
  );
}

function shownIn({ run }: Evidence, { isWithin, isList }: Sought, got: string): string {
  if (isWithin) return `shows ${quoted(got, 80)} without it`;
  const none = isList
    ? run.page?.elements.find(({ own, isHidden }) => !isHidden && NOTHING.test(own))
    : undefined;
  return none
    ? `shows none of them, and the page has ${quoted(none.own, 40)}`
    : isList
      ? "shows none of them"
      : "shows nothing";
}
