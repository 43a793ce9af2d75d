import { isRead } from "../../exchanges/sent.ts";
import { type Form, formOf } from "../../exchanges/socket-forms.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { type Channel, channelsOf } from "../../run/polled.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { GESTURES_AND_OPENINGS, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { lapse, quoted, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { isAsked } from "../page/idle.ts";

const MOST_CHANNELS = 20;
const MOST_MESSAGES = 60;
/** What is asked for a message's sake goes out at once. */
const AT_ONCE_MS = 500;
/** What came later than this before the step gave up may still be asked for. */
const TIME_TO_ASK_MS = 500;

/** A message by which every pass asks anew for what it had asked for, and after which this run asked nothing of it. */
export function detectUnaskedSince(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const [newest] = passes;
  if (!newest || failed.step?.kind !== "assertion") return [];
  const usual = passes.map((pass) => askedByMessages(pass, momentIn(pass.facts, run.facts, failed)));
  for (const { channel, form } of heardIn(run, failed.to - TIME_TO_ASK_MS).reverse()) {
    const asked = usual.map((all) => all.filter((one) => one.name === nameOf(channel, form)));
    const missed = asked[0]!.find(
      ({ key }) =>
        asked.every((all) => all.some((one) => one.key === key)) &&
        exchangesOf(run.facts, key).length > 0 &&
        exchangesOf(run.facts, key).every(({ ts }) => ts < form.frame.ts),
    );
    if (!missed) continue;
    const script = changedScript(evidence);
    return [
      {
        kind: "request_unsent",
        title: `${requestOf(missed.one, newest.facts)} was never sent again after ${channel.name.replace(/^The /, "the ")} brought ${quoted(form.frame.text, 100)}, as in the last pass: there it went out ${lapse(missed.after)} later${script === null ? "" : `; ${script.words}`}`,
        detail: null,
        step_id: form.frame.step_id,
        events: [
          form.frame.seq,
          ...(failed.step ? [failed.step.seq] : []),
          ...(script === null ? [] : [script.seq]),
        ],
        ts: failed.from,
        is_new: true,
        weight: 0.86,
        about: `unsent ${missed.key}`,
      },
    ];
  }
  return [];
}

interface HeardForm {
  channel: Channel;
  form: Form;
}

/** The last messages of a run, oldest first. */
const heardIn = (run: RunEvidence, until: number): HeardForm[] =>
  channelsOf(run)
    .slice(-MOST_CHANNELS)
    .flatMap((channel) =>
      (channel.heard?.said ?? [])
        .filter(({ ts }) => ts <= until)
        .slice(-MOST_MESSAGES)
        .flatMap(formOf)
        .map((form) => ({ channel, form })),
    )
    .toSorted((a, b) => a.form.frame.ts - b.form.frame.ts);

/** A message as it is called across runs: by its kind, and by what it holds. */
const nameOf = ({ key }: Channel, { name, fields }: Form): string => `${key}\n${name}\n${fields.join()}`;

interface Asked {
  /** Of the message. */
  name: string;
  one: Exchange;
  key: string;
  after: number;
}

/** What a pass asked again right after a message, without a step in between that could have asked for it. */
function askedByMessages(pass: RunEvidence, until: number | null): Asked[] {
  const { facts } = pass;
  const questions = facts.exchanges.filter(
    (one) => until !== null && one.ts <= until && isAsked(one, facts) && isRead(one, pass),
  );
  return heardIn(pass, until ?? 0).flatMap(({ channel, form }) =>
    questions
      .filter(({ ts }) => ts >= form.frame.ts && ts - form.frame.ts <= AT_ONCE_MS)
      .flatMap((one): Asked[] => {
        const key = exchangeKey(one, facts);
        const isAgain = exchangesOf(facts, key).some(({ ts }) => ts < form.frame.ts);
        return isAgain && !isActedBetween(facts, form.frame.ts - AT_ONCE_MS, one.ts)
          ? [{ name: nameOf(channel, form), one, key, after: one.ts - form.frame.ts }]
          : [];
      }),
  );
}

const isActedBetween = ({ steps }: RunFacts, from: number, to: number): boolean =>
  steps.some(({ name, ts }) => GESTURES_AND_OPENINGS.test(name) && ts >= from && ts <= to);
