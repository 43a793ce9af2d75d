import {
  claimGuid,
  insertInbound,
  recentAnswer,
  wasAsked,
} from "../../../store/records/inbound-deliveries.ts";
import type { InboundState } from "../../../store/records/inbound-schema.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid } from "../../http/errors.ts";
import { firstOrgId } from "../../identity/orgs.ts";
import { commit } from "../../jobs/commit.ts";
import { createSemaphore } from "../../platform/semaphore.ts";
import { happenedAt, whyStale } from "./age.ts";
import { parsePayload, readDelivery } from "./body.ts";
import { queueOf } from "./kinds.ts";
import type { HookAnswer } from "./model.ts";
import { isKnownEvent, type ReadEvent, readEvent, repositoryOf } from "./read-event.ts";
import { isSigned } from "./signature.ts";

/** How long an id is remembered (specification, section 8). */
export const REMEMBERED_MS = 86_400_000;
/** How long after we asked for it a redelivery may be older than others. */
const ASKED_MS = 24 * 60 * 60_000;
const LARGE_AT_ONCE = 2;
const PLUG_AND_PLAY: HookAnswer = { status: "ignored: plug-and-play" };
const EVENT = /^[a-z_]{1,60}$/;
const GUID = /^[A-Za-z0-9-]{1,100}$/;

/** A delivery whose signature is good. */
interface Delivery {
  guid: string;
  event: string;
  payload: Record<string, unknown>;
  bytes: number;
}

/** Takes what a code host sends in: size, signature, parse, age, then the id and the job in one transaction. */
export function createReceiver(deps: Deps) {
  const large = createSemaphore(LARGE_AT_ONCE, () => new AppError("unavailable", "The body took too long."));
  const { code_host: settings } = deps.config.settings;

  function count(event: string, outcome: string): void {
    deps.metrics
      .counter("inbound_webhooks_total", "Deliveries of a code host's webhook, by what came of them.", [
        "event",
        "outcome",
      ])
      .inc({ event: isKnownEvent(event) || event === "ping" ? event : "other", outcome });
  }

  /** @throws AppError what is answered instead of 200 */
  async function receive(request: Request): Promise<HookAnswer> {
    const event = request.headers.get("x-github-event") ?? "";
    const body = await readDelivery(request, { clock: deps.clock, large }).catch((error: unknown) => {
      if (error instanceof AppError && error.kind === "body_too_large") count("", "too_large");
      throw error;
    });
    if (settings.app_id === null) {
      count("", "plug_and_play");
      return PLUG_AND_PLAY;
    }
    if (settings.webhook_secret === null)
      throw new AppError(
        "unavailable",
        'settings.json names an app ("code_host.app_id") without the secret of its webhook: "code_host.webhook_secret".',
      );
    if (!isSigned(body, request.headers.get("x-hub-signature-256"), settings.webhook_secret)) {
      count("", "signature_invalid");
      throw new AppError(
        "signature_invalid",
        'The header "X-Hub-Signature-256" is missing, or is not the HMAC-SHA-256 of the body under the secret that settings.json names.',
        { status: 401, headers: { "www-authenticate": "Bearer" } },
      );
    }
    const guid = request.headers.get("x-github-delivery") ?? "";
    if (!EVENT.test(event)) throw invalid('The header "X-GitHub-Event" is missing, or names no event.');
    if (!GUID.test(guid)) throw invalid('The header "X-GitHub-Delivery" is missing, or is no id.');
    const payload = parsePayload(body, request.headers.get("content-type"));
    return take({ guid, event, payload, bytes: body.byteLength });
  }

  async function take(delivery: Delivery): Promise<HookAnswer> {
    const { guid, event, payload } = delivery;
    const { records } = deps.store;
    const now = deps.clock.now();
    const since = now - REMEMBERED_MS;
    const happened = happenedAt(event, payload);
    const stale = whyStale(happened, now);
    const read =
      event === "ping"
        ? ({ kind: "ignored", reason: "The code host asks whether somebody is here." } as const)
        : readEvent(event, payload, { repository: settings.repository, appId: String(settings.app_id) });
    const isLate =
      stale !== null && read.kind === "event" && !(await wasAsked(records, guid, now - ASKED_MS));
    if (isLate || read.kind === "unreadable") {
      // What was taken before is not done again, and is no news.
      const before = await recentAnswer(records, guid, since);
      if (before) return repeated(event, before);
      return refuse(delivery, read, { happened, now, stale: isLate ? stale : null });
    }
    const id = deps.ids.uuid();
    const answer = answerTo(event, read, id);
    const row = await rowOf(delivery, read, { id, happened, now });
    const first = await commit(deps, async (trx, after) => {
      const before = await claimGuid(trx, { guid, answer: JSON.stringify(answer), now, since });
      if (before !== null) return before;
      await insertInbound(trx, row);
      if (read.kind === "event")
        await after.add({ kind: queueOf(read.name), payload: { delivery_id: id }, dedupeKey: id });
      return null;
    });
    if (first !== null) return repeated(event, first);
    count(event, read.kind === "event" ? "queued" : "ignored");
    return answer;
  }

  function repeated(event: string, answer: string): HookAnswer {
    count(event, "repeated");
    return JSON.parse(answer) as HookAnswer;
  }

  /** Keeps what is not taken for the operator to see, and to replay where it is only late. */
  async function refuse(
    delivery: Delivery,
    read: ReadEvent,
    { happened, now, stale }: { happened: number | null; now: number; stale: string | null },
  ): Promise<never> {
    const id = deps.ids.uuid();
    const state = stale === null ? "unreadable" : "stale";
    const reason = stale ?? (read.kind === "unreadable" ? read.reason : "");
    await insertInbound(deps.store.records, {
      ...(await rowOf(delivery, read, { id, happened, now })),
      ...{ state, outcome: reason, next_attempt_at: null, ended_at: now },
    });
    count(delivery.event, state);
    if (stale !== null) throw new AppError("delivery_stale", stale);
    throw invalid(`The payload of "${delivery.event}" cannot be read: ${reason}`);
  }

  async function rowOf(
    { guid, event, payload, bytes }: Delivery,
    read: ReadEvent,
    { id, happened, now }: { id: string; happened: number | null; now: number },
  ) {
    const orgId = await firstOrgId(deps.store.records);
    if (orgId === null) throw new AppError("unavailable", "There is no org yet.");
    const state: InboundState = read.kind === "event" ? "queued" : "ignored";
    return {
      ...{ id, org_id: orgId, guid, event },
      action: typeof payload.action === "string" ? payload.action.slice(0, 60) : null,
      repository: repositoryOf(payload),
      subject: read.kind === "event" ? read.subject : null,
      payload: read.kind === "event" ? JSON.stringify(read.event) : null,
      payload_bytes: bytes,
      happened_at: happened,
      ...{ received_at: now, tried_since: now, state },
      outcome: read.kind === "event" ? null : read.reason,
      next_attempt_at: read.kind === "event" ? now : null,
      ended_at: read.kind === "event" ? null : now,
    };
  }

  return { receive };
}

function answerTo(event: string, read: ReadEvent, id: string): HookAnswer {
  if (event === "ping") return { status: "pong" };
  if (read.kind === "event") return { status: "queued", delivery_id: id };
  return { status: "ignored", reason: read.reason };
}
