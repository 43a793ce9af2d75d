import { CHANGING } from "../../exchanges/sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { addressOf, bodyOf, isForeign, lapse, quoted, requestOf, SIGN_IN } from "../../words.ts";

const OPENS = /(?:^|\.)(?:goto|reload)$/;
const CHANNEL = /^(?:websocket|eventsource)$/;

/** What the test itself sent for the open page to hear of, before the page had opened the connection by which it hears: it reached nobody. */
export function detectSentBeforeOpen({ run, failed }: Evidence): Finding[] {
  const { steps, exchanges } = run.facts;
  const opened = steps.findLast(
    ({ name, ts, isFailed }) => OPENS.test(name) && !isFailed && ts <= failed.from,
  );
  if (!opened || failed.step?.kind !== "assertion") return [];
  const sent = exchanges.findLast(
    ({ type, method, ts, url, status }) =>
      type === "api" &&
      CHANGING.has(method) &&
      !SIGN_IN.test(url) &&
      (status ?? 400) < 400 &&
      ts >= opened.end - 5 &&
      ts <= failed.from,
  );
  const channels = exchanges.filter(
    ({ type, ts, url }) => CHANNEL.test(type ?? "") && ts >= opened.ts && !isForeign(url, run.facts),
  );
  const [first] = channels;
  if (!sent || !first || first.ts <= (sent.end ?? sent.ts) || first.ts > failed.to) return [];
  const body = bodyOf(sent, run.bodies)?.trim() ?? "";
  return [
    {
      kind: "test_code",
      title: `${requestOf(sent, run.facts)}, which the test itself sent, was answered${body === "" ? "" : ` (${quoted(body, 60)})`} ${lapse(first.ts - (sent.end ?? sent.ts))} before the page connected to ${addressOf(first.url, run.facts)}: it was sent too early, and the page was not told of it`,
      detail: null,
      step_id: sent.step_id,
      events: [sent.seq, first.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.88,
    },
  ];
}
