import { exchangeKey } from "../keys.ts";
import { isPolling } from "../polled.ts";
import type { Exchange, RunFacts, Step } from "../run-facts.ts";
import { actionBefore, counterpart, GESTURES_AND_OPENINGS } from "../select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { isForeign, isTracker, lapse, quoted, requestOf } from "../words.ts";
import { changedScript } from "./release.ts";
import { isFailedExchange } from "./requests.ts";

const MOST = 2;

/** Requests that an action sends in every pass and did not send here: where the way parted from theirs. */
export function detectUnsent(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const action = actionToLookOn(evidence);
  const [newest] = passes;
  if (!action || !newest) return [];
  const later = run.facts.exchanges.filter(({ ts }) => ts >= action.ts - 5);
  const words = new Set(later.map(askedFor));
  const sent = countsOf(later.map((one) => exchangeKey(one, run.facts)));
  const usual = passes.map((pass) => {
    const all = sentAfter(evidence, action, pass);
    return {
      counts: countsOf(all.map(({ key }) => key)),
      words: new Set(all.map(({ one }) => askedFor(one))),
      all,
    };
  });
  const told = new Set<string>();
  const script = changedScript(evidence);
  return usual[0]!.all
    .filter(({ one, key }) => {
      if (told.has(key)) return false;
      const count = sent.get(key) ?? 0;
      // The next page of a list is another request to the same address: what every pass asked for in these very words.
      const isMissed =
        usual.every(({ counts }) => (counts.get(key) ?? 0) > count) &&
        (count === 0 || (!words.has(askedFor(one)) && usual.every((pass) => pass.words.has(askedFor(one)))));
      if (isMissed) told.add(key);
      return isMissed;
    })
    .slice(0, MOST)
    .map(({ one, after }) => ({
      kind: "request_unsent" as const,
      // What a click sends, a script sends.
      title: `${requestOf(one, newest.facts)} was never sent: in the last pass it went out ${lapse(after)} after ${quoted(action.title, 80)}${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: action.step_id,
      events: [
        action.seq,
        ...(failed.step ? [failed.step.seq] : []),
        ...(script === null ? [] : [script.seq]),
      ],
      ts: action.end,
      is_new: true,
      weight: CHANGES.has(one.method) ? 0.68 : 0.56,
    }));
}

const CHANGES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** The last action before the failed step, when that one only looks on. */
export function actionToLookOn({ run, failed }: Evidence): Step | null {
  return failed.step?.kind === "assertion" ? actionBefore(run.facts, failed, GESTURES_AND_OPENINGS) : null;
}

/** What a request asks for, to the letter. */
function askedFor({ method, url }: Exchange): string {
  const { pathname = url, search = "" } = URL.parse(url) ?? {};
  return `${method} ${pathname}${search}`;
}

/** What a pass sent from that action on, until its assertion was content, in order. */
function sentAfter(
  evidence: Evidence,
  action: Step,
  { facts }: RunEvidence,
): { one: Exchange; key: string; after: number }[] {
  const mine = counterpart(evidence.run.facts, action, facts);
  const end = mine && endOf(evidence, facts);
  if (!mine || end === null) return [];
  return facts.exchanges
    .filter((one) => one.ts >= mine.ts - 5 && one.ts <= end && isTelling(one, facts))
    .map((one) => ({ one, key: exchangeKey(one, facts), after: Math.max(0, one.ts - mine.ts) }));
}

function countsOf(names: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
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
  !isPolling(one) &&
  !isForeign(one.url, facts);
