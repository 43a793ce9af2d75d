import { findGate, type GateRow, listGates, noteTold } from "../../../store/records/gates.ts";
import { findPullRequest } from "../../../store/records/pull-requests.ts";
import type { Deps } from "../../deps.ts";
import { outsideAddress } from "../../identity/orgs.ts";
import { commit } from "../../jobs/commit.ts";
import { type CheckAnnotation, type CheckRun, type CodeHost, CodeHostError } from "../code-host/types.ts";
import { LINK_MS } from "../decisions/links.ts";
import { tellNewestAnew } from "../flow/tell-anew.ts";
import { isEnded } from "../flow/transitions.ts";
import { hostOf } from "../plan/source.ts";
import { type DecisionLinks, factsOf, type GateFacts, pagesOf } from "./facts.ts";
import { MARKER, reportOf } from "./report.ts";
import { actionsOf, conclusionOf, isVerdict, titleOf } from "./words.ts";

export const CHECK_NAME = "Tracedeck";
/** As many changes follow each other at once; more are found by the next look. */
const MOST_TURNS = 5;
/** What the host refuses it refuses again until somebody changes that. */
const REFUSED_MS = 30 * 60_000;

/**
 * Brings the check run of a gate and the comment of its pull request to what the records say. Only one job of a gate does so at a
 * time; what changes meanwhile is told after. Without a code host nobody is told.
 * @throws CodeHostError `unreachable`; what is limited or refused is asked for again later
 */
export async function tellGate(deps: Deps, gateId: string): Promise<void> {
  const { records } = deps.store;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const gate = await findGate(records, gateId);
    if (!gate || gate.told_version >= gate.version) return;
    const host = await hostOf(deps, gate);
    try {
      if (host) await tell(deps, host, gate);
    } catch (error) {
      if (!(error instanceof CodeHostError) || error.kind === "unreachable") throw error;
      if (error.kind !== "limited")
        deps.log.warn("The code host refuses to be told of a gate", { gate: gateId, error: error.message });
      await noteTold(records, gateId, { tellAfter: error.retryAt ?? deps.clock.now() + REFUSED_MS });
      return;
    }
    await noteTold(records, gateId, { version: gate.version, tellAfter: null });
  }
}

async function tell(deps: Deps, host: CodeHost, gate: GateRow): Promise<void> {
  const facts = await factsOf(deps, gate, await linksOf(deps, gate));
  await tellCheck(deps, host, facts);
  if (!(await isNewest(deps, gate))) return;
  await tellComment(deps, host, facts);
  // Another commit's gate may have written its comment meanwhile, and ours lies on top of it.
  if (gate.pull_request_id !== null && !(await isNewest(deps, gate)))
    await commit(deps, (trx, after) => tellNewestAnew(trx, after, gate));
}

/** One-shot links; none for a fork, whose own author reads the comment. */
async function linksOf(deps: Deps, gate: GateRow): Promise<DecisionLinks | null> {
  const isOpen = gate.decision === null && isVerdict(gate.status);
  if (!isOpen || gate.is_fork === 1 || gate.kind === "merge_group") return null;
  const now = deps.clock.now();
  const base = outsideAddress(deps.config);
  const link = async (act: "approve" | "reject"): Promise<string> => {
    const of = { gateId: gate.id, orgId: gate.org_id, act, issuer: base };
    return `${base}/v1/gate/decision?token=${await deps.gateState.links.signDecision(of, now)}`;
  };
  return { approve: await link("approve"), reject: await link("reject"), endAt: now + LINK_MS };
}

async function tellCheck(deps: Deps, host: CodeHost, facts: GateFacts): Promise<void> {
  const { gate } = facts;
  const report = reportOf(facts).replace(MARKER, "").trim();
  const annotations = isEnded(gate.status) && gate.decision === null ? annotationsOf(facts) : [];
  try {
    // Whoever was killed here before may have told the host, which adds annotations to those that it has.
    const isAsked = gate.check_run_id === null || annotations.length > 0;
    const there = isAsked ? await host.findCheckRun(gate.head_sha, gate.id) : null;
    const run: CheckRun = {
      ...{ name: CHECK_NAME, externalId: gate.id, detailsUrl: pagesOf(facts).gate, ...conclusionOf(facts) },
      ...{ title: titleOf(facts), summary: report, actions: actionsOf(facts) },
      annotations: annotations.slice(there?.annotations ?? 0),
    };
    const known = gate.check_run_id ?? there?.id ?? null;
    // What was given up before the host knew of it is no check.
    if (known === null && (gate.status === "superseded" || gate.status === "cancelled")) return;
    if (known !== null) await host.updateCheckRun(known, run);
    const checkRunId = known ?? (await host.createCheckRun({ ...run, headSha: gate.head_sha }));
    if (gate.check_run_id === null) await noteTold(deps.store.records, gate.id, { checkRunId });
  } catch (error) {
    // A person's token may not make check runs: then the comment alone tells.
    const isRefused = error instanceof CodeHostError && error.kind === "unauthorized" && !error.isCredential;
    if (!isRefused) throw error;
    deps.log.info("The code host takes no check run from this credential", { gate: gate.id });
  }
}

/** The lines of files that the verdict is about. */
function annotationsOf({ problems, scenarios }: GateFacts): CheckAnnotation[] {
  const ofFiles = problems.map(
    ({ path, line, column, message, isNew }): CheckAnnotation => ({
      ...{ path, line, level: isNew ? "failure" : "warning" },
      title: isNew
        ? "The scenario does not compile"
        : "The scenario did not compile before this change either",
      message: `Column ${column}: ${message}`,
    }),
  );
  const ofSteps = scenarios.flatMap(({ finding, title }): CheckAnnotation[] => {
    if (!finding?.failed_step) return [];
    const { path, line } = finding.failed_step;
    const told = [finding.headline ?? "It failed.", ...finding.known.map(({ text }) => text)];
    const level = finding.blocks ? "failure" : "notice";
    return [{ path, line, level, title: `${title} fails here`, message: told.join("\n") }];
  });
  return [...ofFiles, ...ofSteps];
}

async function tellComment(deps: Deps, host: CodeHost, facts: GateFacts): Promise<void> {
  const { gate, scenarios, problems } = facts;
  if (gate.kind === "merge_group" || gate.pr_number === null) return;
  if (gate.status === "superseded" || gate.status === "cancelled") return;
  // What concerns nothing is worth no comment, but the one before must not go on telling of the last commit.
  const isWorth = scenarios.length > 0 || problems.length > 0 || (await hasBefore(deps, gate));
  if (isWorth) await host.putComment(gate.pr_number, MARKER, reportOf(facts));
}

async function isNewest(deps: Deps, gate: GateRow): Promise<boolean> {
  if (gate.pull_request_id === null) return true;
  return (await findPullRequest(deps.store.records, gate.pull_request_id))?.gate_id === gate.id;
}

async function hasBefore({ store }: Deps, gate: GateRow): Promise<boolean> {
  if (gate.pull_request_id === null) return false;
  const of = { orgId: gate.org_id, pullRequestId: gate.pull_request_id, limit: 2 };
  return (await listGates(store.records, of)).length > 1;
}
