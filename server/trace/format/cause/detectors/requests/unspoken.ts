import { isBefore } from "../../compare.ts";
import { formOf } from "../../exchanges/socket-forms.ts";
import { aboutChannel, type Channel, channelsOf } from "../../run/polled.ts";
import { momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { lapse, NOTHING, quoted } from "../../words.ts";

const MOST = 20;

/** Messages that the page sent over a WebSocket in every pass and did not send here: what it does not ask for does not come. */
export function detectUnspoken(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const mine = channelsOf(run);
  const usual = passes.map(channelsOf);
  return [...new Set(mine.map(({ key }) => key))].slice(-MOST).flatMap((key): Finding[] => {
    const [channel] = mine.filter((one) => one.key === key);
    const spoken = spokenOn(mine, key, run, (ts) => isBefore(evidence, ts));
    const said = new Set(spoken.map(({ name }) => name));
    const forms = new Set(spoken.map(({ form }) => form));
    const theirs = passes.map((pass, at) =>
      spokenOn(usual[at]!, key, pass, isBy(momentIn(pass.facts, run.facts, failed))),
    );
    const missed = theirs[0]!.find(
      ({ name, form }) =>
        !said.has(name) &&
        !(HAS_IDS.test(name) && forms.has(form)) &&
        theirs.every((list) => list.some((other) => other.name === name)),
    );
    if (!channel || !missed) return [];
    // The same message with another word in it is what was sent in its place.
    const instead = spoken.find(
      ({ form, name }) =>
        form === missed.form &&
        !theirs.flat().some((other) => other.name === name) &&
        NOTHING.test(name) &&
        !NOTHING.test(missed.name),
    );
    return [
      {
        kind: "request_unsent",
        title: `The page ${instead ? `sent ${quoted(instead.text, 120)} in place of` : "did not send"} ${quoted(missed.text, 120)} over ${channel.name.replace(/^The/, "the")}${instead ? ", which every pass sent" : `: in the last pass it did, ${lapse(missed.after)} after that was opened`}`,
        detail: null,
        step_id: channel.one.step_id,
        events: [channel.one.seq],
        ts: channel.one.ts,
        is_new: true,
        // What comes back for it tells more, where something does.
        weight: instead ? 0.92 : 0.76,
        about: `unsent ${aboutChannel(channel, run.facts)}`,
      },
    ];
  });
}

/** Of a message with an id in it, each run's is another one: not every id looks like one. */
const HAS_IDS = /<\w+>/;

const isBy = (end: number | null) => (ts: number) => end !== null && ts <= end;

/** What the page sent over the channels of a name, called as it is across runs. */
function spokenOn(
  channels: readonly Channel[],
  key: string,
  { facts }: RunEvidence,
  isInTime: (ts: number) => boolean,
): { name: string; form: string; text: string; after: number }[] {
  return channels
    .filter((channel) => channel.key === key)
    .flatMap(({ one }) =>
      (facts.spoken.get(one.request_id ?? "") ?? [])
        .filter(({ ts }) => isInTime(ts))
        .map((frame) => ({
          name: facts.normaliser.text(frame.text),
          form: JSON.stringify(formOf(frame).map(({ name, fields }) => [name, fields])),
          text: frame.text,
          after: Math.max(0, frame.ts - one.ts),
        })),
    );
}
