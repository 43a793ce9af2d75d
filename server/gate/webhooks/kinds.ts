import type { EventName } from "./events.ts";

/** The jobs that handle a delivery, payload `{ delivery_id }`: three queues, so that none waits behind another. */
export const INBOUND_GATE = "inbound.gate";
export const INBOUND_SCHEDULE = "inbound.schedule";
export const INBOUND_FIX = "inbound.fix";
export const INBOUND_KINDS = [INBOUND_GATE, INBOUND_SCHEDULE, INBOUND_FIX] as const;

/** A push may change scenarios and with them their schedules; a review is what people say to a proposed fix. */
const OTHER_QUEUES: Partial<Record<EventName, (typeof INBOUND_KINDS)[number]>> = {
  push: INBOUND_SCHEDULE,
  pull_request_review: INBOUND_FIX,
};

/** The queue of an event. */
export const queueOf = (event: EventName): (typeof INBOUND_KINDS)[number] =>
  OTHER_QUEUES[event] ?? INBOUND_GATE;
