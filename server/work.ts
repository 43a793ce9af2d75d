import { pruneSignups } from "../store/records/agent-signups.ts";
import { forgetExpiredAnswers } from "../store/records/idempotency.ts";
import { pruneIdentity } from "../store/records/identity.ts";
import { pruneInvitations } from "../store/records/invitations.ts";
import { pruneMailLinks } from "../store/records/mail-links.ts";
import { pruneGrants } from "../store/records/oauth-grants.ts";
import type { Deps } from "./deps.ts";
import { eventHandlers } from "./gate/event-handlers.ts";
import { gateHandlers, gateTasks } from "./gate/handlers.ts";
import { pruneInboundTask } from "./gate/inbound-deliveries/prune.ts";
import { GATE_KINDS } from "./gate/kinds.ts";
import {
  followReplayForMender,
  followRunForMender,
  menderHandlers,
  menderTasks,
} from "./gate/mender/handlers.ts";
import { ASK, LOOK, MEND } from "./gate/mender/kinds.ts";
import { missedHandlers, missedTask } from "./gate/missed/handlers.ts";
import { FIND_MISSED } from "./gate/missed/kinds.ts";
import { followGateRunHandler } from "./gate/verdict/judge.ts";
import { inboundHandlers } from "./gate/webhooks/handlers.ts";
import { INBOUND_KINDS } from "./gate/webhooks/kinds.ts";
import { checkpointsTask } from "./identity/audit-events/trail.ts";
import { auditFailedSignIns } from "./identity/failed-signins.ts";
import { SEND_MAIL } from "./identity/mail/kinds.ts";
import { mailHandlers, pruneMailsTask } from "./identity/mail/send.ts";
import { clientsTask } from "./identity/oauth/clients.ts";
import { ERASE_ORG } from "./identity/orgs/kinds.ts";
import { SEND_LINK } from "./identity/signin/kinds.ts";
import { linkHandlers } from "./identity/signin/magic-link.ts";
import { pruneDoneJobs } from "./jobs/runner.ts";
import type { JobHandlers, PeriodicTask } from "./jobs/types.ts";
import { eraseTask } from "./run/erasure/erase.ts";
import { erasureHandlers } from "./run/erasure/handlers.ts";
import { replayHandlers, sweepLostReplays } from "./run/replays/handlers.ts";
import { REPLAY } from "./run/replays/kinds.ts";
import { pruneRunsTask, runHandlers } from "./run/runs/handlers.ts";
import { COMPARE, EXECUTE } from "./run/runs/kinds.ts";
import { sweepLostRuns } from "./run/runs/record.ts";
import { shadowDiffHandlers } from "./run/shadows/handlers.ts";
import { sweepStalled } from "./trace/capture/sweep.ts";
import { causeHandlers } from "./trace/causes/handlers.ts";
import { FIND_CAUSE, PROCESS, RECOMPRESS, REPLAY_ENDED, RUN_ENDED } from "./trace/kinds.ts";
import { processHandlers } from "./trace/process/handlers.ts";
import { reindexTask } from "./trace/process/reindex.ts";
import { testRunRecordsTask, traceRecordsTask } from "./trace/records/write.ts";
import { openingsTask } from "./trace/share/openings.ts";
import { shareTask } from "./trace/share/service.ts";
import { silentTestRunsTask } from "./trace/test-runs/end.ts";
import { expireTask, giveBackTask } from "./trace/tiers/expire.ts";
import { tierHandlers } from "./trace/tiers/handlers.ts";
import { DROP_REPLACED, MOVE_DOWN, RESTORE, TIDY, TIDY_REMOVED } from "./trace/tiers/kinds.ts";
import { tierTasks } from "./trace/tiers/worker.ts";
import { foldTask, pruneHoursTask } from "./watch/availability/fold.ts";
import { deliveryHandlers, pruneDeliveriesTask } from "./watch/deliveries/handlers.ts";
import { DELIVER, MAIL_TRIED } from "./watch/deliveries/kinds.ts";
import { followRunHandler, incidentTasks } from "./watch/incidents/handlers.ts";
import { noticesTask } from "./watch/notices/hand-on.ts";
import { pruneNoticesTask } from "./watch/notices/prune.ts";
import { pruneSkippedTask } from "./watch/scheduler/prune.ts";

/** Every kind of job that is added: the start is refused when one has no handler. */
export const JOB_KINDS: readonly string[] = [
  ...[PROCESS, RECOMPRESS, RUN_ENDED, FIND_CAUSE],
  ...[MOVE_DOWN, RESTORE, TIDY, TIDY_REMOVED, DROP_REPLACED],
  ...[EXECUTE, COMPARE, REPLAY, REPLAY_ENDED, ERASE_ORG],
  ...[SEND_MAIL, SEND_LINK],
  ...[DELIVER, MAIL_TRIED],
  ...GATE_KINDS,
  ...[...INBOUND_KINDS, FIND_MISSED],
  ...[LOOK, MEND, ASK],
];

/**
 * What ingests leave behind: work on the traces alone. A command that opens the store for a moment does nothing else of what waits there
 * for a server: no runs, no messages, nothing that asks the code host.
 */
export const INGEST_KINDS: ReadonlySet<string> = new Set([
  ...[PROCESS, RECOMPRESS, FIND_CAUSE],
  ...[TIDY, TIDY_REMOVED, DROP_REPLACED],
]);

/** Every kind of job and who handles it. */
export function jobHandlers(deps: Deps): JobHandlers {
  return [
    ...processHandlers(deps),
    ...causeHandlers(deps),
    ...tierHandlers(deps),
    ...runHandlers(deps, [followRunHandler(deps), followGateRunHandler(deps), followRunForMender(deps)]),
    ...shadowDiffHandlers(deps),
    ...replayHandlers(deps, [followReplayForMender(deps)]),
    ...menderHandlers(deps),
    ...deliveryHandlers(deps),
    ...gateHandlers(deps),
    ...inboundHandlers(deps, eventHandlers(deps)),
    ...missedHandlers(deps),
    ...erasureHandlers(deps),
    ...mailHandlers(deps),
    ...linkHandlers(deps),
  ];
}

/**
 * What recurs while the server runs. Of the server are: what waits in its memory (uses of keys, openings of shared pages),
 * the room that it keeps on its own disk, and the records beside the files of traces, which lie on that disk and follow a
 * change within a second: as a job, each would cost three transactions more than it has.
 */
export function periodicTasks(deps: Deps): PeriodicTask[] {
  return [
    sweepStalled(deps),
    ...tierTasks(deps),
    expireTask(deps),
    giveBackTask(deps),
    reindexTask(deps),
    traceRecordsTask(deps),
    testRunRecordsTask(deps),
    {
      name: "room for removals",
      everyMs: 10 * 60_000,
      of: "server",
      run: async () => deps.store.reserve.keep(),
    },
    shareTask(deps),
    openingsTask(deps.traceState.openings),
    pruneRunsTask(deps),
    pruneSkippedTask(deps),
    sweepLostRuns(deps),
    sweepLostReplays(deps),
    ...incidentTasks(deps),
    ...menderTasks(deps),
    foldTask(deps),
    pruneHoursTask(deps),
    silentTestRunsTask(deps),
    noticesTask(deps),
    pruneDeliveriesTask(deps),
    pruneNoticesTask(deps),
    ...gateTasks(deps),
    pruneInboundTask(deps),
    missedTask(deps),
    eraseTask(deps),
    pruneMailsTask(deps),
    pruneDoneJobs({ records: deps.store.records, clock: deps.clock }),
    {
      name: "failed sign-ins",
      everyMs: 60_000,
      of: "server",
      run: () => auditFailedSignIns(deps, deps.identityState.failedSignIns),
    },
    { name: "key uses", everyMs: 60_000, of: "server", run: () => deps.credentials.flushUses() },
    {
      name: "ended sessions",
      everyMs: 60 * 60_000,
      of: "store",
      run: async () => {
        await pruneIdentity(deps.store.records, deps.clock.now());
        await pruneMailLinks(deps.store.records, deps.clock.now());
        await pruneInvitations(deps.store.records, deps.clock.now());
      },
    },
    {
      name: "unverified agents",
      everyMs: 60 * 60_000,
      of: "store",
      run: () => pruneSignups(deps.store.records, deps.clock.now()),
    },
    checkpointsTask(deps.auditTrail),
    {
      name: "ended grants",
      everyMs: 60 * 60_000,
      of: "store",
      run: () => pruneGrants(deps.store.records, deps.clock.now()),
    },
    clientsTask(deps),
    {
      name: "expired idempotency keys",
      everyMs: 60 * 60_000,
      of: "store",
      run: () => forgetExpiredAnswers(deps.store.records, deps.clock.now()),
    },
  ];
}
