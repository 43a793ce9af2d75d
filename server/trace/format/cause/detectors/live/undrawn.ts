import { oneLine } from "../../../error-text.ts";
import { type Form, formOf } from "../../exchanges/socket-forms.ts";
import { targetOf } from "../../page/target.ts";
import { aboutChannel, channelsOf } from "../../run/polled.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { bareOf, quoted } from "../../words.ts";

const MOST_CHANNELS = 20;
/** Shorter texts stand in many messages. */
const SHORTEST = 3;
const SHORTEST_NAME = 4;
/** What came later than this before the step gave up may not have been drawn yet. */
const TIME_TO_DRAW_MS = 300;

/** A message that brought what the test wants for the thing that its locator names, and that the page does not show. */
export function detectUndrawn(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const want = wantedText(evidence);
  if (want === null || !run.page) return [];
  for (const channel of channelsOf(run).slice(-MOST_CHANNELS)) {
    const about = (channel.heard?.said ?? [])
      .filter(({ ts, page }) => isInTime(evidence, ts) && isOfPage(evidence, page))
      .flatMap(formOf)
      .flatMap((form) => thingOf(form, evidence) ?? []);
    // What was said last of the thing is what the page is to show.
    const last = about.at(-1);
    const at = last && placeOf(last.form, want);
    if (!last || at === undefined) continue;
    return [
      {
        kind: "answer_changed",
        title: `${channel.name} brought ${quoted(want, 60)}${at === "" ? "" : ` for ${quoted(at, 60)}`} of ${quoted(last.thing, 60)}${last.form.name === "" ? "" : ` (${last.form.name})`}, and the page does not show it: it did not take the message over`,
        detail: null,
        step_id: last.form.frame.step_id,
        events: [last.form.frame.seq, run.page.shot.seq],
        ts: failed.to,
        is_new: passes.length === 0 ? null : true,
        weight: 0.9,
        about: aboutChannel(channel, run.facts),
      },
    ];
  }
  return [];
}

/** The text that the failed step wants in an element and did not read there; null where it wants none. */
function wantedText({ failed: { step, message, expected, received } }: Evidence): string | null {
  const said = `${step?.name ?? ""} ${message}`;
  if (!/\bto(?:ContainText|HaveText)\b/.test(said) || /\bnot[ .]to/.test(`${step?.title} ${message}`))
    return null;
  const want = expected === null || !/^"/.test(expected.trim()) ? "" : bareOf(expected);
  return want.length >= SHORTEST && received !== null && !received.includes(want) ? want : null;
}

const isInTime = ({ failed, run }: Evidence, ts: number): boolean =>
  ts <= Math.min(failed.to, run.page!.shot.ts) - TIME_TO_DRAW_MS;

const isOfPage = ({ run }: Evidence, page: string | null): boolean =>
  page === null || run.page!.shot.page === null || page === run.page!.shot.page;

/** What a message calls the thing that the failed step's locator names; null where it is of another one. */
function thingOf(form: Form, evidence: Evidence): { form: Form; thing: string } | null {
  const target = targetOf(evidence);
  const named = leavesOf(form.value).find(
    ({ value }) =>
      typeof value === "string" && value.length >= SHORTEST_NAME && target.includes(oneLine(value)),
  );
  return named ? { form, thing: String(named.value) } : null;
}

const placeOf = ({ value }: Form, want: string): string | undefined =>
  leavesOf(value).find((leaf) => typeof leaf.value === "string" && oneLine(leaf.value) === want)?.path;
