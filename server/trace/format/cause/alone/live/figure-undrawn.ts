import { formOf } from "../../exchanges/socket-forms.ts";
import { targetOf } from "../../page/target.ts";
import { aboutChannel, channelsOf } from "../../run/polled.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { besideOf, calledIn } from "../../values/beside.ts";
import { isIdAt, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted } from "../../words.ts";

const MOST = 40;
const MOST_CHANNELS = 20;
/** What came later than this before the step gave up may not have been drawn yet. */
const TIME_TO_DRAW_MS = 300;

/** A number that a message brought for the very thing which the test looks at, and in whose place the page goes on to show the one from before. */
export function detectFigureUndrawn(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  if (![want, got].every((text) => /^\d{1,9}$/.test(text)) || want === got || !run.page) return [];
  const thing = thingWith(evidence, Number(got));
  if (thing === null) return [];
  const until = Math.min(failed.to, run.page.shot.ts) - TIME_TO_DRAW_MS;
  for (const channel of channelsOf(run).slice(-MOST_CHANNELS)) {
    const last = (channel.heard?.said ?? [])
      .filter(({ ts }) => ts <= until)
      .flatMap(formOf)
      .findLast(({ value }) =>
        leavesOf(value).some((leaf) => isIdAt(leaf.path) && String(leaf.value) === thing.id),
      );
    const leaf = last && leavesOf(last.value).find(({ value }) => value === Number(want));
    if (!last || !leaf) continue;
    return [
      {
        kind: "answer_changed",
        title: `${channel.name} brought ${quoted(want, 30)} for ${quoted(leaf.path, 60)} of ${quoted(thing.name, 60)}${last.name === "" ? "" : ` (${last.name})`}, as the test wants, and the page still shows ${quoted(got, 30)}: it did not take the message over, or looks for another name in it`,
        detail: null,
        step_id: last.frame.step_id,
        events: [last.frame.seq, run.page.shot.seq],
        ts: failed.to,
        is_new: null,
        weight: 0.9,
        about: aboutChannel(channel, run.facts),
      },
    ];
  }
  return [];
}

/** The thing that the locator names, which an answer has that number of. */
function thingWith(evidence: Evidence, number: number): { id: string; name: string } | null {
  const { run } = evidence;
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const leaves = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""));
    for (const leaf of leaves) {
      const name = leaf.value === number ? calledIn(targetOf(evidence), leaves, leaf) : null;
      const id =
        name === null ? undefined : besideOf(leaves, leaf).find(({ path }) => /(?:^|\.)id$/.test(path));
      if (name !== null && id) return { id: String(id.value), name };
    }
  }
  return null;
}
