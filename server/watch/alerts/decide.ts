import type { AlertPolicy } from "../policy.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { endOutage, joinOutage } from "./outage.ts";
import { type Firing, firingRules, isGood, isRecovered } from "./rules.ts";
import type { AlertState, Changes, Incident, Result, Rule, Severity } from "./state.ts";
import { type Telling, tellFailing, tellOpened, tellOthers, tellReopened, tellResolved } from "./tell.ts";

/** What one result means for the incidents of its scenario. */
export interface Question extends Telling {
  state: AlertState;
  policy: AlertPolicy;
  result: Result;
  /**
   * Results of the scenario in that region, this one in its place, oldest first: those after its last incident ended, as far back as the
   * rules look.
   */
  results: readonly Result[];
  newId(): string;
}

const SEVERITY: Record<Rule, Severity> = {
  consecutive_failures: "error",
  failure_rate: "error",
  latency_p99: "warning",
  shadow_diff: "warning",
};

/**
 * Decides on a result: incidents that open, change and end, and what is to be told of that. It reads nothing but what it is given, and
 * answers the same to the same.
 */
export function decide(question: Question): Changes {
  const { state, policy, result, results, newId } = question;
  const ledger = createLedger(state, newId);
  const incident = ledger
    .incidents()
    .find(({ region, type }) => region === result.region && type !== "global_outage");
  if (!results.includes(result)) return ledger.changes();
  const firing = firingRules(policy, results);
  if (incident) follow(ledger, question, incident, firing);
  else if (firing.length > 0) openIncident(ledger, question, firing);
  return ledger.changes();
}

function openIncident(ledger: Ledger, question: Question, [first, ...further]: Firing[]): void {
  const newest = question.results.at(-1)!;
  const incident: Incident = {
    id: question.newId(),
    region: newest.region,
    type: first!.rule,
    status: "open",
    severity: SEVERITY[first!.rule],
    rules: [first!.rule],
    ...{ openedAt: newest.at, failingAt: isError(first!) ? newest.at : null },
    ...{ acknowledgedAt: null, acknowledgedBy: null, suppressedUntil: null, suppressReason: null },
    ...{ resolvedAt: null, isUnwatched: false, parentId: null },
    ...{ signature: newest.signature, lastRunId: newest.runId, traceId: newest.traceId },
  };
  ledger.open(incident);
  const { text, samples } = first!;
  ledger.note(incident, { at: newest.at, kind: "opened", text, runId: newest.runId, samples });
  addRules(ledger, incident, further, newest);
  joinOutage(ledger, incident, newest, question, question.newId());
  tellOpened(ledger, incident, question);
}

/** Whether a rule says that runs fail, rather than being slow or finding drift. */
const isError = ({ rule }: Firing): boolean => SEVERITY[rule] === "error";

/** Rules that fire on an incident that is there. */
function addRules(ledger: Ledger, incident: Incident, firing: Firing[], { at, runId }: Result): void {
  for (const one of firing) {
    const { rule, text, samples } = one;
    if (incident.rules.includes(rule)) continue;
    const isWorse = isError(one) && incident.failingAt === null;
    ledger.change(incident, {
      rules: [...incident.rules, rule],
      ...(isWorse && { severity: SEVERITY[rule], failingAt: at }),
    });
    ledger.note(incident, { at, kind: "rule", text, runId, samples });
  }
}

function follow(ledger: Ledger, question: Question, incident: Incident, firing: Firing[]): void {
  const { policy, results, result } = question;
  const newest = results.at(-1)!;
  const { failingAt } = incident;
  addRules(ledger, incident, firing, newest);
  ledger.change(incident, lastOf(newest));
  if (isRecovered(policy, incident, results)) {
    resolve(ledger, question, incident, newest);
    return;
  }
  if (result.healed > 0) noteHealed(ledger, incident, result);
  if (isGood(policy, incident, newest)) return;
  if (failingAt !== incident.failingAt) beginsToFail(ledger, question, incident, newest);
  const parent = ledger.find(incident.parentId);
  if (parent) ledger.change(parent, lastOf(newest));
  stillFails(ledger, question, parent ?? incident, newest);
  if (firing.length > 0) tellOthers(ledger, parent ?? incident, question);
}

/** What a further result changes of an incident: a run that passes, slow as it may be, leaves what is known of the last failure. */
const lastOf = ({ runId, isSuccess, signature, traceId }: Result): Partial<Incident> => ({
  lastRunId: runId,
  ...(!isSuccess && { signature, traceId }),
});

/**
 * What was slow or drifted fails by now: it is told and may be part of an outage as if it had just opened, and whoever took it on or
 * silenced it did so for less.
 */
function beginsToFail(ledger: Ledger, question: Question, incident: Incident, newest: Result): void {
  if (incident.status !== "open") {
    ledger.change(incident, {
      ...{ status: "open", acknowledgedAt: null, acknowledgedBy: null },
      ...{ suppressedUntil: null, suppressReason: null },
    });
    const text = "It fails by now, which it did not when somebody took it on or silenced it.";
    ledger.note(incident, { at: newest.at, kind: "reopened", runId: newest.runId, text });
  }
  joinOutage(ledger, incident, newest, question, question.newId());
  tellFailing(ledger, incident, question);
}

/** An incident, or the outage that it is part of, at a further bad result. */
function stillFails(ledger: Ledger, question: Question, incident: Incident, { at, runId }: Result): void {
  const { status, suppressedUntil } = incident;
  if (status === "suppressed" && suppressedUntil !== null && at >= suppressedUntil) {
    ledger.change(incident, { status: "open", suppressedUntil: null, suppressReason: null });
    ledger.note(incident, {
      at,
      kind: "reopened",
      runId,
      text: "Its suppression ran out, and it still fails.",
    });
    tellReopened(ledger, incident, question);
    return;
  }
  tellOpened(ledger, incident, question);
}

function noteHealed(ledger: Ledger, incident: Incident, { at, runId, healed }: Result): void {
  const text = `The run passed since ${healed === 1 ? "a target was" : `${healed} targets were`} found another way.`;
  ledger.note(incident, { at, kind: "healed", text, runId });
}

function resolve(ledger: Ledger, question: Question, incident: Incident, { at, runId }: Result): void {
  ledger.change(incident, { status: "resolved", resolvedAt: at });
  ledger.note(incident, { at, kind: "resolved", text: RECOVERED, runId });
  tellResolved(ledger, incident, question);
  endOutage(ledger, incident, at, question);
}

const RECOVERED = "Two runs in a row were good.";

/** Ends an incident that no run will decide on any more. */
export function endUnwatched(
  { state, newId, ...telling }: Pick<Question, "state" | "newId"> & Telling,
  id: string,
): Changes {
  const ledger = createLedger(state, newId);
  const incident = ledger.find(id);
  if (incident?.resolvedAt !== null) return ledger.changes();
  const at = Math.max(telling.now, incident.openedAt);
  ledger.change(incident, { status: "resolved", resolvedAt: at, isUnwatched: true });
  ledger.note(incident, { at, kind: "resolved", text: "No check watches this scenario here any more." });
  tellResolved(ledger, incident, telling);
  endOutage(ledger, incident, at, telling);
  return ledger.changes();
}
