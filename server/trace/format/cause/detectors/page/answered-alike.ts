import { oneLine } from "../../../error-text.ts";
import { hasSignOf } from "../../alone/answers/written-by.ts";
import { isBeside } from "../../alone/beside.ts";
import { soughtBy } from "../../alone/requests/sought.ts";
import { othersOf } from "../../asked-again.ts";
import { figureOf, isFigureOf } from "../../figures.ts";
import { isIdAt, jsonOf, type Leaf, leavesOf } from "../../json-leaves.ts";
import { exchangeKey } from "../../keys.ts";
import type { Exchange } from "../../run-facts.ts";
import { actionBefore, lastOf } from "../../select.ts";
import { isSameText, shownBy } from "../../shown-by.ts";
import { targetOf } from "../../target.ts";
import type { Evidence, Finding } from "../../types.ts";
import { foundWithin } from "../../wanted.ts";
import { bareOf, bodyOf, isForeign, quoted, quotedStep, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { isMissing } from "../elements/element.ts";
import { closestElement, LIKE_ENOUGH } from "../elements/missing.ts";

const MOST_ANSWERS = 40;
const LONGEST = 200;
const SHORTEST = 3;
/** What came later than this before the step gave up may not have been drawn yet. */
const TIME_TO_DRAW_MS = 300;
const WEIGHT = 0.9;

/**
 * What the page does not show although an answer says it, as it does in every pass, where it is shown: of all that came to
 * the page only its script is another one.
 */
export function detectAnsweredAlike(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const seen = passes.length === 0 || run.page === null ? null : seenIn(evidence);
  const script = seen && changedScript(evidence);
  if (!seen || !script) return [];
  for (const one of answersOf(evidence).toReversed()) {
    const said = saidBy(jsonOf(bodyOf(one, run.bodies) ?? ""), seen);
    if (said === null || !isSaidInPasses(evidence, one, said)) continue;
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, run.facts)} ${answered(one, said)}, as in the last pass, but ${shownIn(evidence, one, seen, said)}; ${script.words}`,
        detail: null,
        step_id: failed.step?.step_id ?? null,
        events: [one.seq, script.seq, ...(failed.step ? [failed.step.seq] : [])],
        ts: failed.to,
        is_new: true,
        weight: WEIGHT,
        about: `alike ${failed.step?.seq}`,
      },
    ];
  }
  return [];
}

/** What the test wants to see, and what the page shows in its place; null where that is nothing. */
interface Seen {
  want: string;
  got: string | null;
}

function seenIn(evidence: Evidence): Seen | null {
  const { failed } = evidence;
  const said = `${failed.step?.name ?? ""} ${failed.message}`;
  if (/\bnot[ .]to[A-Z]/.test(`${failed.step?.title ?? ""} ${failed.message}`)) return null;
  const want =
    IS_TEXT.test(said) && /^"/.test(failed.expected?.trim() ?? "") ? bareOf(failed.expected!) : null;
  if (!isMissing(evidence)) {
    const got = failed.received === null ? "" : bareOf(failed.received);
    return want === null || got === "" || got === want || !isTellable(want) ? null : { want, got };
  }
  if (want !== null) return isTellable(want) && !isOnPage(evidence, want) ? { want, got: null } : null;
  const closest = closestElement(evidence);
  if (closest && closest.likeness >= LIKE_ENOUGH && isTellable(closest.wanted))
    return { want: oneLine(closest.wanted), got: oneLine(closest.element.own || closest.element.name) };
  const sought = soughtBy(evidence)?.text;
  return sought !== undefined && isTellable(sought) && !isOnPage(evidence, sought)
    ? { want: sought, got: null }
    : null;
}

const IS_TEXT = /\bto(?:ContainText|HaveText|HaveAccessibleName|HaveValue)\b/;

const isTellable = (text: string): boolean => text.length >= SHORTEST && text.length <= LONGEST;

const isOnPage = ({ run }: Evidence, text: string): boolean =>
  run.page!.elements.some((one) => !one.isHidden && one.text.includes(text));

/** The last answers that the page's scripts could take something from, whether they went well or not. */
function answersOf({ run, failed }: Evidence): Exchange[] {
  const by = Math.min(failed.to, run.page!.shot.ts) - TIME_TO_DRAW_MS;
  return lastOf(
    run.facts.exchanges,
    MOST_ANSWERS,
    (one) =>
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      one.status !== null &&
      (one.end ?? one.ts) <= by &&
      !isBeside(one) &&
      !isForeign(one.url, run.facts),
  );
}

/** Where an answer says what is wanted. */
interface Said {
  path: string;
  words: string;
  /** Whether another answer says the same there. */
  isIn(leaves: ReadonlyMap<string, unknown>): boolean;
  /** The list whose items the page counts in the place of it. */
  counted?: string;
}

function saidBy(value: unknown, { want, got }: Seen): Said | null {
  const leaves = leavesOf(value);
  const [figure, met] = [figureOf(want), got === null ? null : figureOf(got)];
  const isOther = figure !== null && Number(figure.text) !== 0 && met?.text !== figure.text;
  const isSaid = ({ value: one }: Leaf) =>
    typeof one === "string" &&
    (isSameText(one, want) ||
      (got !== null && !isOther && hasSignOf(one, want) && !hasSignOf(one, got) && figure !== null));
  const isFigure = ({ path, value: one }: Leaf) =>
    isOther && !isIdAt(path) && !IN_LIST.test(path) && isFigureOf(one, want) && !isFigureOf(one, got);
  const leaf = leaves.find(isSaid) ?? leaves.find(isFigure);
  const counts = countsIn(leaves);
  if (leaf !== undefined) {
    const counted = met && [...counts].find(([, count]) => String(count) === met.text)?.[0];
    return {
      path: leaf.path,
      words: `${quoted(String(leaf.value), 80)}${leaf.path === "" ? "" : ` for ${quoted(leaf.path, 80)}`}`,
      isIn: (other) => other.get(leaf.path) === leaf.value,
      ...(counted && isFigure(leaf) && { counted }),
    };
  }
  const list =
    isOther && figure.decimals === 0 && [...counts].find(([, count]) => String(count) === figure.text);
  if (!list) return null;
  const [path, count] = list;
  return {
    path,
    words: `with ${count === 1 ? "1 item" : `${count} items`} for ${quoted(path, 80)}`,
    isIn: (other) =>
      countsIn([...other].map(([place, one]) => ({ path: place, value: one }))).get(path) === count,
  };
}

const IN_LIST = /(?:^|\.)\d+(?:\.|$)/;

/** How many items the outermost lists of an answer have, by their paths. */
function countsIn(leaves: readonly Leaf[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of leaves) {
    const parts = path.split(".");
    const at = parts.findIndex((part) => /^\d+$/.test(part));
    if (at <= 0) continue;
    const list = parts.slice(0, at).join(".");
    counts.set(list, Math.max(counts.get(list) ?? 0, Number(parts[at]) + 1));
  }
  return counts;
}

function isSaidInPasses({ run, passes }: Evidence, one: Exchange, { isIn }: Said): boolean {
  const key = exchangeKey(one, run.facts);
  return passes.every((pass) =>
    othersOf(pass, key, one, run).some(
      ({ exchange, value }) =>
        exchange.status === one.status &&
        isIn(new Map(leavesOf(value).map((leaf) => [leaf.path, leaf.value]))),
    ),
  );
}

const answered = ({ status }: Exchange, { words }: Said): string =>
  status! >= 400 ? `was refused with ${status} and ${words}` : `answered ${words}`;

/** What the page made of it. */
function shownIn(evidence: Evidence, one: Exchange, { want, got }: Seen, { counted }: Said): string {
  const { run, failed } = evidence;
  if (got === null)
    return "the page does not show it anywhere, as it does there: it did not take the answer over";
  const action = actionBefore(run.facts, failed);
  const target = targetOf(evidence);
  const [stood, ...others] = run.before ? foundWithin(target, run.before.elements) : [];
  const isStill =
    action !== null &&
    one.ts >= action.ts - 5 &&
    stood !== undefined &&
    others.length === 0 &&
    [...shownBy(stood, run.before!.elements), stood.name].some((text) => isSameText(text, got));
  const instead = `where that has ${quoted(want, 60)}`;
  return isStill
    ? `the page still shows ${quoted(got, 60)}, as before ${quotedStep(action)}, ${instead}: it did not take the answer over`
    : `the page shows ${quoted(got, 60)}${counted === undefined ? "" : ` (as many as “${counted}” has items)`}, ${instead}`;
}
