import { findInbound, type InboundRow, settleInbound } from "../../../store/records/inbound-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { outsideAddress } from "../../identity/orgs.ts";
import { commit } from "../../jobs/commit.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobContext, JobHandlers } from "../../jobs/types.ts";
import { toIso } from "../../platform/clock.ts";
import { fanOut } from "../../watch/deliveries/fan-out.ts";
import { CodeHostError } from "../code-host/types.ts";
import type { EventContext, EventHandlers, EventName, HostEvents } from "./events.ts";
import { INBOUND_KINDS, queueOf } from "./kinds.ts";

const AT_ONCE = 2;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Waits after the first, second … attempt at a host that cannot be reached; the last one again and again. */
const WAITS_MS = [1, 2, 5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS);
/** Then a pull request waits for nothing any more. */
const GIVEN_UP_AFTER_MS = 24 * HOUR_MS;
const LONGEST_SENTENCE = 1000;

/** Jobs that hand a delivery to who handles its event. */
export function inboundHandlers(deps: Deps, handlers: EventHandlers): JobHandlers {
  return INBOUND_KINDS.map((kind) => ({
    kind,
    atMost: AT_ONCE,
    handle: ({ delivery_id }, context) => handle(deps, handlers, String(delivery_id), context),
    onDead: ({ delivery_id }, error) => giveUp(deps, String(delivery_id), error),
  }));
}

async function handle(deps: Deps, handlers: EventHandlers, id: string, context: JobContext): Promise<void> {
  const row = await findInbound(deps.store.records, id);
  if (row?.state !== "queued" || row.payload === null) return;
  try {
    const outcome = await keepingLease(deps, context, ({ signal }) =>
      dispatch(handlers, row, {
        ...{ orgId: row.org_id, deliveryId: id, signal },
        heartbeat: () => context.heartbeat(),
      }),
    );
    const now = deps.clock.now();
    await settleInbound(deps.store.records, id, {
      ...{ state: "done", outcome: outcome.slice(0, LONGEST_SENTENCE), error: null },
      ...{ attempts: row.attempts + 1, next_attempt_at: null, ended_at: now },
    });
  } catch (error) {
    const mayPass =
      error instanceof CodeHostError && (error.kind === "limited" || error.kind === "unreachable");
    if (!mayPass || context.signal.aborted) throw error;
    await again(deps, row, error);
  }
}

function dispatch(handlers: EventHandlers, row: InboundRow, context: EventContext): Promise<string> {
  const name = row.event as EventName;
  const event = JSON.parse(row.payload!) as HostEvents[EventName];
  return (handlers[name] as (event: HostEvents[EventName], context: EventContext) => Promise<string>)(
    event,
    context,
  );
}

/** The host cannot be asked now: the delivery waits for its next attempt, for a day. */
async function again(deps: Deps, row: InboundRow, error: CodeHostError): Promise<void> {
  const now = deps.clock.now();
  if (now - row.tried_since > GIVEN_UP_AFTER_MS) return giveUp(deps, row.id, error.message);
  const wait = WAITS_MS[Math.min(row.attempts, WAITS_MS.length - 1)]!;
  const at = Math.max(now + wait, error.retryAt ?? 0);
  await commit(deps, async (trx, after) => {
    const isWaiting = await settleInbound(trx, row.id, {
      ...{ state: "queued", outcome: null, error: error.message.slice(0, LONGEST_SENTENCE) },
      ...{ attempts: row.attempts + 1, next_attempt_at: at, ended_at: null },
    });
    if (!isWaiting) return;
    // The job of this attempt still runs, under the delivery's own key.
    const dedupeKey = `${row.id} ${row.replays} ${row.attempts + 1}`;
    const kind = queueOf(row.event as EventName);
    await after.add({ kind, payload: { delivery_id: row.id }, dedupeKey, runAt: at });
  });
}

/** Ends a delivery that nothing came of, and tells the org: once an hour, however many there are. */
async function giveUp(deps: Deps, id: string, error: string): Promise<void> {
  const row = await findInbound(deps.store.records, id);
  if (row?.state !== "queued") return;
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const isEnded = await settleInbound(trx, id, {
      ...{ state: "dead", outcome: null, error: error.slice(0, LONGEST_SENTENCE) },
      ...{ attempts: row.attempts + 1, next_attempt_at: null, ended_at: now },
    });
    if (!isEnded) return;
    await fanOut(deps, trx, after, {
      noticeId: `inbound ${row.org_id} ${Math.floor(now / HOUR_MS)}`,
      channels: null,
      facts: {
        ...{ event: "monitor.errors", orgId: row.org_id, incidentId: "", scenarioSlug: "", region: "" },
        ...{ runId: "", failureSignature: "", traceUrl: "", since: "", severity: "warning" },
        timestamp: toIso(now),
        title: `What the code host told of ${row.subject ?? row.event} could not be handled`,
        cause: error.slice(0, LONGEST_SENTENCE),
        url: `${outsideAddress(deps.config)}/settings/code-host`,
      },
    });
  });
  deps.log.error("a delivery of the code host was given up", { delivery: id, event: row.event, error });
}
