import { formOf } from "../../exchanges/socket-forms.ts";
import { isMissing } from "../../run/missing-element.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, addressOf, quoted } from "../../words.ts";
import { holds, soughtBy } from "../requests/sought.ts";

const MOST = 20;

/** What a WebSocket brought and the page does not show, though the test looks for it. */
export function detectNotDrawn(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const text = isMissing(evidence) ? soughtBy(evidence)?.text : undefined;
  if (text === undefined || !run.page) return [];
  const { facts } = run;
  for (const one of lastOf(facts.exchanges, MOST, ({ type }) => type === "websocket")) {
    const said = (one.request_id === null ? undefined : facts.heard.get(one.request_id))?.said ?? [];
    const frame = said.findLast(({ ts, text: words }) => ts <= failed.to && holds(words, text));
    const leaf =
      frame &&
      leavesOf(formOf(frame)[0]?.value).find(({ value }) => typeof value === "string" && holds(value, text));
    if (!frame || !leaf || frame.ts > run.page.shot.ts) continue;
    return [
      {
        kind: "answer_changed",
        title: `The WebSocket ${addressOf(one.url, facts)} brought ${quoted(text, 80)} for ${quoted(leaf.path, 80)}, but the page does not show it: the page looks for it elsewhere, leaves it out, or had not drawn it yet`,
        detail: null,
        step_id: frame.step_id,
        events: [frame.seq, run.page.shot.seq],
        ts: frame.ts,
        is_new: null,
        weight: 0.66,
        about: aboutUrl(one.url, facts),
      },
    ];
  }
  return [];
}
