import type { RunEvidence } from "../types.ts";
import { addressOf, bodyOf } from "../words.ts";
import { exchangeKey } from "./keys.ts";
import type { Exchange, Heard, RunFacts, SocketFrame } from "./run-facts.ts";

/** A connection by which a server tells a page things by itself. */
export interface Channel {
  /** What it is called across runs. */
  key: string;
  /** As a person says it: `The WebSocket /live`. */
  name: string;
  /** Its first request. */
  one: Exchange;
  /** Undefined where it brought nothing. */
  heard: Heard | undefined;
}

/** The WebSockets of a run, and what Engine.IO carries over plain requests where no WebSocket is to be had. */
export function channelsOf(run: RunEvidence): Channel[] {
  const { facts } = run;
  const sockets = facts.exchanges
    .filter(({ type, request_id: id }) => type === "websocket" && id !== null)
    .map((one) => ({
      key: exchangeKey(one, facts),
      name: `The WebSocket ${addressOf(one.url, facts)}`,
      one,
      heard: facts.heard.get(one.request_id!),
    }));
  return [...sockets, ...polledOf(run)];
}

/**
 * Whether a request only carries a socket's messages: how many there are, and in which order they end, is nobody's concern.
 *
 * @see https://socket.io/docs/v4/engine-io-protocol/#http-long-polling
 */
export const isPolling = ({ url }: Pick<Exchange, "url">): boolean =>
  /[?&]EIO=\d/.test(url) && /[?&]transport=polling(?:&|$)/.test(url);

/** Of one session, the last. */
const MOST_SAID = 60;
const PACKETS = "\u001e";
const MESSAGE = "4";

/** The sessions of Engine.IO's long polling. */
function polledOf({ facts, bodies }: RunEvidence): Channel[] {
  const sessions = new Map<string, Exchange[]>();
  for (const one of facts.exchanges) {
    const session =
      one.method === "GET" && isPolling(one) ? URL.parse(one.url)?.searchParams.get("sid") : null;
    if (session) sessions.set(session, [...(sessions.get(session) ?? []), one]);
  }
  return [...sessions.values()].map((asked) => {
    const one = asked[0]!;
    const said = asked.flatMap((answered) => framesIn(answered, bodyOf(answered, bodies)));
    const last = said.at(-1);
    return {
      key: `polled ${facts.normaliser.url(placeOf(one))}`,
      name: `The socket ${addressOf(placeOf(one), facts)} (over polling)`,
      one,
      heard: last && { count: said.length, last, said: said.slice(-MOST_SAID) },
    };
  });
}

const placeOf = ({ url }: Pick<Exchange, "url">): string => url.replace(/\?.*/s, "");

function framesIn(
  { seq, ts, end, step_id, page, request_id, status }: Exchange,
  body: string | undefined,
): SocketFrame[] {
  if (status !== 200 || body === undefined) return [];
  return body
    .split(PACKETS)
    .filter((packet) => packet.startsWith(MESSAGE))
    .map((text) => ({
      ...{ seq, ts: end ?? ts, step_id, page },
      ...{ request_id: request_id ?? "", opcode: 1, direction: "received", text },
    }));
}

/** What a finding about a channel is about. */
export const aboutChannel = ({ key, one }: Channel, { normaliser }: RunFacts): string =>
  key.startsWith("polled ") ? key : `url ${normaliser.url(one.url)}`;
