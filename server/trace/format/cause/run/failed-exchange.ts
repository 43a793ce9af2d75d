import { hasOutlasted } from "../compare.ts";
import type { Failed } from "../types.ts";
import type { Exchange } from "./run-facts.ts";

/** Whether an exchange went wrong: a status from 400, an answer of which a part came alone, or none for an error's sake. */
export function isFailedExchange(one: Exchange): boolean {
  return one.status !== null ? one.status >= 400 || isCutOff(one) : one.error !== null;
}

/** Whether an answer began well and broke off before all of it had come; a stream of events ends in the same way. */
export const isCutOff = ({ status, error, mediaType, type }: Exchange): boolean =>
  status !== null &&
  status < 400 &&
  error !== null &&
  CUT_OFF.test(error) &&
  type !== "eventsource" &&
  !/event-stream|ndjson/.test(mediaType);

/** As Chromium and Firefox call it. */
const CUT_OFF =
  /ERR_(?:CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED_ENCODING|INCOMPLETE_HTTP2_HEADERS|CONNECTION_RESET|CONNECTION_CLOSED|HTTP2_PROTOCOL_ERROR|QUIC_PROTOCOL_ERROR)|NS_ERROR_NET_(?:PARTIAL_TRANSFER|INTERRUPT|RESET)/;

/** Whether a request broke off when the assertion that waited for its answer had given up. */
export const hasOutlived = ({ status, error, ts, end }: Exchange, failed: Failed): boolean =>
  status === null &&
  error !== null &&
  end !== null &&
  hasOutlasted(failed, ts, end) &&
  failed.step?.kind === "assertion";
