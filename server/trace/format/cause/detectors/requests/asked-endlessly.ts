import { askedOverAndOver } from "../../exchanges/asked-over-and-over.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, lapse, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

/** A page that asks by a timer asks a pass as often in the same time. */
const MOST_IN_PASS = 3;
const TIMES_AS_OFTEN = 5;
/** A pass has to have been watched for as long as this run took for so many. */
const TELLING = 6;

/** A question that a page asks over and over until the step gives up, as no pass does: each answer makes it ask again. */
export function detectAskedEndlessly(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const [most] = askedOverAndOver(evidence);
  const [first, last] = [most?.[0], most?.at(-1)];
  if (!most || !first || !last) return [];
  const key = exchangeKey(first, run.facts);
  const span = most[TELLING]!.ts - first.ts;
  const usual = passes.map((pass) => exchangesOf(pass.facts, key));
  const isFew = usual.every(
    (theirs, at) =>
      theirs.length > 0 &&
      theirs.length <= MOST_IN_PASS &&
      most.length >= theirs.length * TIMES_AS_OFTEN &&
      passes[at]!.facts.lastTs - theirs.at(-1)!.ts > span,
  );
  if (!isFew) return [];
  const script = changedScript(evidence);
  const count = usual[0]!.length;
  return [
    {
      kind: "request_repeated",
      title: `${requestOf(first, run.facts)} was sent over and over: ${most.length} times within ${lapse(last.ts - first.ts)}, where the last pass sent it ${count === 1 ? "once" : `${count} times`}${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: last.step_id,
      events: [...most.slice(0, 5).map(({ seq }) => seq), ...(script === null ? [] : [script.seq])],
      ts: last.ts,
      is_new: true,
      weight: 0.9,
      about: `sent ${aboutUrl(first.url, run.facts, first.operation)}`,
    },
  ];
}
