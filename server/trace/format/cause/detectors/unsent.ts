import { exchangeKey } from "../keys.ts";
import { isPolling } from "../polled.ts";
import type { Exchange, RunFacts, Step } from "../run-facts.ts";
import { actionBefore, counterpart, GESTURES_AND_OPENINGS } from "../select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { isForeign, isTracker, lapse, quoted, requestOf } from "../words.ts";
import { changedScript } from "./release.ts";
import { isFailedExchange } from "./requests.ts";

const MOST = 2;
const MARGIN_MS = 200;

/** Requests that every pass sends and this run did not: where the way parted from theirs. */
export function detectUnsent(evidence: Evidence): Finding[] {
  const last = afterLastAction(evidence);
  const told = new Set(last.map(({ key }) => key));
  const writes = writesBefore(evidence).filter(({ key }) => !told.has(key));
  const script = changedScript(evidence);
  return [...last, ...writes.slice(0, MOST)].map((one) => findingOf(evidence, one, script));
}

/** A request of the newest pass that this run lacks. */
interface Unsent {
  one: Exchange;
  key: string;
  /** Ms after the action of the pass. */
  after: number;
  /** Of this run: what sends it in passes. */
  action: Step;
  /** What this run asked the same address for. */
  instead?: Exchange | undefined;
}

/** What the last action before the failure sends in every pass. */
function afterLastAction(evidence: Evidence): Unsent[] {
  const { run, passes } = evidence;
  const action = actionToLookOn(evidence);
  if (!action || passes.length === 0) return [];
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
  return usual[0]!.all
    .filter(({ one, key }) => {
      if (told.has(key)) return false;
      const count = sent.get(key) ?? 0;
      // The next page of a list is another request to the same address: what every pass asked for in these very words.
      const isMissed =
        usual.every(({ counts }) => (counts.get(key) ?? 0) > count) &&
        (count === 0 || (!words.has(askedFor(one)) && usual.every((pass) => pass.words.has(askedFor(one)))));
      if (isMissed) told.add(key);
      return isMissed && !(CHANGES.has(one.method) && isSentOfAnother(one, later, action));
    })
    .slice(0, MOST)
    .map((missed) => ({
      ...missed,
      action,
      instead: later.find(
        (other) =>
          addressOf(other) === addressOf(missed.one) &&
          usual.every((pass) => !pass.words.has(askedFor(other))),
      ),
    }));
}

/** What every pass sent to be kept before that step, and this run did not, though it did what sends it: a reload shows that later. */
function writesBefore(evidence: Evidence): Unsent[] {
  const { run, passes, failed } = evidence;
  const [newest] = passes;
  if (!newest || !failed.step) return [];
  const isWrite = (one: Exchange, facts: RunFacts) => CHANGES.has(one.method) && isTelling(one, facts);
  const mine = countsOf(
    run.facts.exchanges.filter(({ method }) => CHANGES.has(method)).map((one) => exchangeKey(one, run.facts)),
  );
  const usual = passes.map(({ facts }) => {
    const end = endOf(evidence, facts);
    return facts.exchanges
      .filter((one) => end !== null && one.ts <= end && isWrite(one, facts))
      .map((one) => ({ one, key: exchangeKey(one, facts) }));
  });
  const counts = usual.map((all) => countsOf(all.map(({ key }) => key)));
  const missed = usual[0]!.filter(({ key }) =>
    counts.every((one) => (one.get(key) ?? 0) > (mine.get(key) ?? 0)),
  );
  return [...new Map(missed.toReversed().map((one) => [one.key, one])).values()].flatMap((last): Unsent[] => {
    const theirs = newest.facts.steps.findLast((step) => isAction(step) && step.ts <= last.one.ts + 5);
    const action = theirs && counterpart(newest.facts, theirs, run.facts);
    if (!action || action.isFailed || action.end > failed.from + 5) return [];
    if (isSentOfAnother(last.one, run.facts.exchanges, action)) return [];
    const after = Math.max(0, last.one.ts - theirs.ts);
    // What is sent a while after the typing may still have been on its way.
    return action.ts + after + MARGIN_MS > failed.to ? [] : [{ ...last, action, after }];
  });
}

const isAction = ({ kind, name, isFailed }: Step) =>
  kind === "agent.action" && !isFailed && GESTURES_AND_OPENINGS.test(name);

function findingOf(
  { run, passes, failed }: Evidence,
  { one, after, action, instead }: Unsent,
  script: ReturnType<typeof changedScript>,
): Finding {
  const besides = [
    ...(instead ? [`${requestOf(instead, run.facts)} went out in its place`] : []),
    // What a click sends, a script sends.
    ...(script === null ? [] : [script.words]),
  ];
  return {
    kind: "request_unsent",
    title: [
      `${requestOf(one, passes[0]!.facts)} was never sent: in the last pass it went out ${lapse(after)} after ${quoted(action.title, 80)}`,
      ...besides,
    ].join("; "),
    detail: null,
    step_id: action.step_id,
    events: [
      action.seq,
      ...(instead ? [instead.requestSeq ?? instead.seq] : []),
      ...(failed.step ? [failed.step.seq] : []),
      ...(script === null ? [] : [script.seq]),
    ],
    ts: action.end,
    is_new: true,
    weight: CHANGES.has(one.method) ? 0.68 : 0.56,
  };
}

const CHANGES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** The last action before the failed step, when that one only looks on. */
export function actionToLookOn({ run, failed }: Evidence): Step | null {
  return failed.step?.kind === "assertion" ? actionBefore(run.facts, failed, GESTURES_AND_OPENINGS) : null;
}

/** What a request asks for, to the letter. */
const askedFor = (one: Exchange): string => `${addressOf(one)}${URL.parse(one.url)?.search ?? ""}`;

const addressOf = ({ method, url }: Exchange): string => `${method} ${URL.parse(url)?.pathname ?? url}`;

/** What a pass sent from that action on, until its assertion was content, in order. */
function sentAfter(
  evidence: Evidence,
  action: Step,
  { facts }: RunEvidence,
): Pick<Unsent, "one" | "key" | "after">[] {
  const mine = counterpart(evidence.run.facts, action, facts);
  const end = mine && endOf(evidence, facts);
  if (!mine || end === null) return [];
  return facts.exchanges
    .filter((one) => one.ts >= mine.ts - 5 && one.ts <= end && isTelling(one, facts))
    .map((one) => ({ one, key: exchangeKey(one, facts), after: Math.max(0, one.ts - mine.ts) }));
}

/** Whether the same was sent of another thing of the kind, which may have another id here. */
const isSentOfAnother = (missed: Exchange, exchanges: readonly Exchange[], { ts }: Step): boolean =>
  exchanges.some(
    (one) => one.ts >= ts - 5 && kindOf(one) === kindOf(missed) && askedFor(one) !== askedFor(missed),
  );

/** An address without its last part, which names one of a kind. */
const kindOf = (one: Exchange): string => addressOf(one).replace(/\/[^/]*$/, "");

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
