import { exchangeKey } from "../keys.ts";
import type { Exchange, RunFacts, Step } from "../run-facts.ts";
import { counterpart } from "../select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { isForeign, isTracker, lapse, quoted, requestOf } from "../words.ts";
import { isFailedExchange } from "./requests.ts";

const MOST = 2;

/** Requests that an action sends in every pass and did not send here: where the way parted from theirs. */
export function detectUnsent(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const action = lastAction(evidence);
  const [newest] = passes;
  if (!action || !newest) return [];
  const sent = new Set(
    run.facts.exchanges.filter(({ ts }) => ts >= action.ts - 5).map((one) => exchangeKey(one, run.facts)),
  );
  const usual = passes.map((pass) => sentAfter(evidence, action, pass));
  return [...(usual[0] ?? [])]
    .filter(([key]) => !sent.has(key) && usual.every((keys) => keys.has(key)))
    .slice(0, MOST)
    .map(([, { one, after }]) => ({
      kind: "request_unsent" as const,
      title: `${requestOf(one, newest.facts)} was never sent: in the last pass it went out ${lapse(after)} after ${quoted(action.title, 80)}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, ...(failed.step ? [failed.step.seq] : [])],
      ts: action.end,
      is_new: true,
      weight: CHANGES.has(one.method) ? 0.68 : 0.56,
    }));
}

const CHANGES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** The last action before the failed step, when that one only looks on. */
function lastAction({ run, failed }: Evidence): Step | undefined {
  if (failed.step?.kind !== "assertion") return undefined;
  const from = failed.from;
  return run.facts.steps.findLast(
    (step) =>
      step.kind === "agent.action" &&
      (step.category === null || step.category === "pw:api") &&
      !step.isFailed &&
      step.ts < from &&
      isActing(step),
  );
}

const isActing = ({ name }: Step) =>
  /(?:^|\.)(?:click|dblclick|tap|press|check|uncheck|setChecked|selectOption|dragTo|dragAndDrop|setInputFiles|fill|goto|reload)$/.test(
    name,
  );

/** What a pass sent from that action on, until its assertion was content. */
function sentAfter(
  evidence: Evidence,
  action: Step,
  { facts }: RunEvidence,
): Map<string, { one: Exchange; after: number }> {
  const sent = new Map<string, { one: Exchange; after: number }>();
  const mine = counterpart(evidence.run.facts, action, facts);
  const end = mine && endOf(evidence, facts);
  if (!mine || end === null) return sent;
  for (const one of facts.exchanges) {
    if (one.ts < mine.ts - 5 || one.ts > end || !isTelling(one, facts)) continue;
    const key = exchangeKey(one, facts);
    if (!sent.has(key)) sent.set(key, { one, after: Math.max(0, one.ts - mine.ts) });
  }
  return sent;
}

function endOf({ run, failed }: Evidence, facts: RunFacts): number | null {
  const step = failed.step && counterpart(run.facts, failed.step, facts);
  return step && !step.isFailed ? step.end : null;
}

const isTelling = (one: Exchange, facts: RunFacts) =>
  /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
  one.status !== null &&
  !isFailedExchange(one) &&
  !isTracker(one.url) &&
  !isForeign(one.url, facts);
