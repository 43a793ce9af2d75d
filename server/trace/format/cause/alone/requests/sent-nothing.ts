import { isBefore } from "../../compare.ts";
import { aboutChannel, channelsOf } from "../../run/polled.ts";
import type { Evidence, Finding } from "../../types.ts";
import { NOTHING, quoted } from "../../words.ts";

const MOST = 20;

/** A message that the page sent over a WebSocket without a value that belongs there. */
export function detectSentNothing(evidence: Evidence): Finding[] {
  const { run } = evidence;
  return channelsOf(run)
    .slice(-MOST)
    .flatMap((channel): Finding[] => {
      const sent = run.facts.spoken.get(channel.one.request_id ?? "") ?? [];
      const frame = sent.find(({ text, ts }) => NOTHING.test(text) && isBefore(evidence, ts));
      if (!frame) return [];
      return [
        {
          kind: "page_changed",
          title: `The page sent ${quoted(frame.text, 120)} over ${channel.name.replace(/^The/, "the")}: it had no value for it`,
          detail: null,
          step_id: frame.step_id,
          events: [frame.seq],
          ts: frame.ts,
          is_new: null,
          weight: 0.78,
          about: `spoken ${aboutChannel(channel, run.facts)}`,
        },
      ];
    });
}
