import { isWrite } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { insideOf } from "../../page/within.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { isShared, wordsIn } from "../../word-families.ts";
import { aboutUrl, bodyOf, isForeign, isTracker, quoted, requestOf } from "../../words.ts";
import { SWITCHES } from "./withheld.ts";

const MOST = 60;

/** A part of the page that came where an action was to send something, and the one switch of an answer that is on and fits it. */
export function detectSwitchedOn(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const heading = comeHeading(evidence);
  if (!action || heading === null || hasSent(evidence, action.ts)) return [];
  const [ofPart, ofAction] = [wordsIn(heading), wordsIn(action.title)];
  const isFit = ({ path, value }: Leaf): boolean => {
    const name = path.split(".").findLast((part) => !/^\d+$|^(?:enabled|value|on|active)$/i.test(part)) ?? "";
    const words = wordsIn(name);
    const between = words.filter((word) => BETWEEN.test(word));
    // What the action names itself, the test asked for.
    if (value !== true || between.length === 0 || isShared(between, ofAction)) return false;
    return isShared(words, ofPart) || isShared(words, ofAction);
  };
  const found = answersBefore(evidence, MOST, (one) => !isForeign(one.url, run.facts)).flatMap((one) =>
    leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""))
      .filter((leaf) => SWITCHES.test(`${one.url} ${leaf.path}`) && isFit(leaf))
      .map(({ path }) => ({ one, path })),
  );
  const last = found.at(-1);
  // Of several that fit, nobody can tell which one it was.
  if (!last || found.some(({ path }) => path !== last.path)) return [];
  return [findingOf(evidence, last.one, last.path, heading, action.title)];
}

const findingOf = (
  { run, failed }: Evidence,
  one: Exchange,
  path: string,
  heading: string,
  action: string,
): Finding => ({
  kind: "answer_changed",
  title: `${requestOf(one, run.facts)} answered ${quoted("true", 10)} for ${quoted(path, 80)}, which may be why the page came to ${quoted(heading, 80)} after ${quoted(action, 100)} and sent nothing`,
  detail: null,
  step_id: one.step_id,
  events: [one.seq],
  ts: failed.from,
  is_new: null,
  weight: 0.7,
  about: aboutUrl(one.url, run.facts, one.operation),
});

/** What the part of the page is headed that the last action brought, where it asks for another press. */
function comeHeading({ run: { page, before } }: Evidence): string | null {
  if (!page || !before) return null;
  const known = new Set(before.elements.map(({ text }) => text));
  const come = page.elements.find((one) => !one.isHidden && one.role === "heading" && !known.has(one.text));
  if (!come || come.text.trim() === "") return null;
  const part = partOf(page.elements, come);
  return part.some((one) => one.role === "button" && !one.isHidden) ? come.text : null;
}

/** What stands beside a heading, in the innermost that has more than it. */
function partOf(elements: readonly SeenElement[], heading: SeenElement): SeenElement[] {
  const at = elements.indexOf(heading);
  const around = elements.slice(0, at).findLast(({ depth }) => depth < heading.depth);
  return around ? insideOf(elements, around) : [];
}

const hasSent = ({ run, failed }: Evidence, from: number): boolean =>
  run.facts.exchanges.some(
    (one) =>
      one.ts >= from &&
      one.ts <= failed.to &&
      !isTracker(one.url) &&
      !isForeign(one.url, run.facts) &&
      isWrite(one, run),
  );

/** What stands between a person's press and what it is for. */
const BETWEEN =
  /^(?:review|confirm|approv|verif|check|step|wizard|survey|interstitial|modal|dialog|consent|preview|upsell|summary)/;
