import { isBefore } from "../../compare.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { REFUSAL } from "../../exchanges/socket-forms.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { aboutUrl, addressOf, quoted } from "../../words.ts";

const MOST = 20;
/** Fields by which products tell their messages apart. */
const NAMES = ["type", "event", "kind", "op", "status"];

/** WebSockets whose server answered with an error of its own. */
export function detectRefusals(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  return lastOf(
    facts.exchanges,
    MOST,
    (one) => one.type === "websocket" && one.request_id !== null && one.ts <= failed.to,
  ).flatMap((one): Finding[] => {
    const said = (facts.heard.get(one.request_id!)?.said ?? []).filter(({ ts }) => isBefore(evidence, ts));
    const frame = said.findLast(({ text }) => isRefusal(jsonOf(text.replace(/^\d+(?=[[{])/, ""))));
    if (!frame) return [];
    return [
      {
        kind: "answer_changed",
        title: `The WebSocket ${addressOf(one.url, facts)} brought an error: ${quoted(saidIn(frame.text) ?? frame.text, 140)}`,
        detail: null,
        step_id: frame.step_id,
        events: [frame.seq],
        ts: frame.ts,
        is_new: null,
        weight: 0.88,
        about: aboutUrl(one.url, facts),
      },
    ];
  });
}

const isRefusal = (value: unknown): boolean =>
  isRecord(value) && NAMES.some((name) => typeof value[name] === "string" && REFUSAL.test(value[name]));
