import { oneLine } from "../../../error-text.ts";
import { isBefore } from "../../compare.ts";
import { changedIn, type Form, formOf, isSteady, refusalIn } from "../../exchanges/socket-forms.ts";
import { targetOf } from "../../page/target.ts";
import { PRESENCE } from "../../plausibility/words.ts";
import { isMissing } from "../../run/missing-element.ts";
import { aboutChannel, type Channel, channelsOf } from "../../run/polled.ts";
import type { Heard } from "../../run/run-facts.ts";
import { momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

const MOST = 20;

/** What WebSockets, and what stands in for them, said otherwise than in the passes, or did not say. */
export function detectHeard(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const usual = passes.map(channelsOf);
  const mine = channelsOf(run);
  return mine
    .filter(({ one }) => one.ts <= failed.to)
    .slice(-MOST)
    .flatMap((channel) => {
      const theirs = usual.map((list) => heardBy(list, channel, mine));
      if (theirs.some((list) => list.length === 0)) return [];
      const told = heardOtherwise(evidence, channel, theirs);
      const heardFor = Math.min(...usual.map((list, at) => heardForIn(passes[at]!, list, channel)));
      return told ? [told] : formsOf(evidence, channel, theirs, heardFor);
    });
}

/** For how long a pass listened to one such channel: what comes later than that no pass could have heard. */
function heardForIn({ facts }: RunEvidence, theirs: Channel[], { key }: Channel): number {
  const begun = theirs.flatMap((channel) => (channel.key === key ? [channel.one.ts] : []));
  return Math.max(...begun.map((ts, at) => (begun[at + 1] ?? facts.lastTs) - ts));
}

/** What a pass's channels of that name brought; of connections that were opened one after another the one in its place. */
function heardBy(theirs: Channel[], channel: Channel, mine: Channel[]): Heard[] {
  const isNamed = ({ key }: Channel) => key === channel.key;
  const same = theirs.filter(isNamed);
  const own = mine.filter(isNamed);
  const chosen = same.length === own.length ? [same[own.indexOf(channel)]!] : same;
  return chosen.flatMap(({ heard }) => (heard ? [heard] : []));
}

/** A socket that brought nothing, or said last what the test met instead of what it wanted. */
function heardOtherwise(evidence: Evidence, channel: Channel, theirs: Heard[][]): Finding | null {
  const { run, failed } = evidence;
  const { heard: mine, one, name } = channel;
  const got = bareOf(failed.received ?? "");
  const last = theirs[0]!.at(-1)!;
  const isSaid = (text: string) => got.length > 2 && text.includes(got);
  const isWrong =
    mine !== undefined && isSaid(mine.last.text) && !theirs.flat().some((other) => isSaid(other.last.text));
  if (mine && !isWrong) return null;
  return {
    kind: mine ? "answer_changed" : "websocket_closed",
    title: mine
      ? `${name} said ${quoted(mine.last.text, 120)}, in the last pass ${quoted(last.last.text, 120)}`
      : `${name} brought no message; in the last pass it brought ${last.count}`,
    detail: null,
    step_id: one.step_id,
    events: [mine?.last.seq ?? one.seq],
    ts: mine?.last.ts ?? one.ts,
    is_new: true,
    weight: mine ? 0.86 : 0.8,
    about: aboutChannel(channel, run.facts),
  };
}

/** Messages of a kind that no pass brought, that lack a field or have one more, or that every pass brought and this run did not. */
function formsOf(evidence: Evidence, channel: Channel, theirs: Heard[][], heardFor: number): Finding[] {
  const { run, passes, failed } = evidence;
  const { heard: mine, one, name: socket } = channel;
  const said = (mine?.said ?? []).filter(({ ts }) => isBefore(evidence, ts)).flatMap(formOf);
  const usual = theirs.map((list, at) => {
    const { facts } = passes[at]!;
    const end = momentIn(facts, run.facts, failed) ?? facts.lastTs;
    return list.flatMap((heard) => heard.said.filter(({ ts }) => ts <= end).flatMap(formOf));
  });
  const [newest] = usual;
  // What a pass heard at any time is nothing new.
  const ever = theirs.map((list) => list.flatMap((heard) => heard.said.flatMap(formOf)));
  const isKnown = ({ name }: Form) => ever.flat().some((other) => other.name === name);
  const fresh = said.find((form) => form.name !== "" && !isKnown(form));
  const gone = newest?.find(
    ({ name }) =>
      !said.some((form) => form.name === name) &&
      usual.every((list) => list.some((form) => form.name === name)),
  );
  const shared = {
    kind: "answer_changed" as const,
    detail: null,
    step_id: one.step_id,
    is_new: true,
    about: aboutChannel(channel, run.facts),
  };
  const told = (form: Form, title: string, weight: number): Finding => ({
    ...shared,
    title: `${socket} ${title}`,
    events: [form.frame.seq],
    ts: form.frame.ts,
    weight,
  });
  const without = withoutTarget(evidence, said, usual);
  if (without)
    return [
      told(
        without.form,
        `brought ${without.form.name === "" ? "its message" : `its messages of ${without.form.name}`} without ${quoted(without.text, 80)}, which they have in the last pass`,
        0.88,
      ),
    ];
  const known = new Set(ever.flat().map((form) => refusalIn(form)));
  const refused = said.findLast((form) => refusalIn(form) !== null && !known.has(refusalIn(form)));
  if (refused)
    return [
      told(
        refused,
        `brought an error: ${quoted(refusalIn(refused)!, 140)}${gone ? `, and no message of ${gone.name}, which it has in the last pass` : ""}`,
        0.92,
      ),
    ];
  if (fresh && (gone || fresh.frame.ts - one.ts <= heardFor))
    return [
      told(
        fresh,
        `brought a message of ${fresh.name}${gone ? ` where the last pass had ${gone.name}` : ", which no pass had"}: ${quoted(fresh.frame.text, 140)}`,
        gone ? 0.9 : isAside(evidence, fresh) || PRESENCE.test(fresh.name) ? 0.5 : 0.78,
      ),
    ];
  if (gone)
    return [
      {
        ...shared,
        title: `${socket} brought no message${gone.name === "" ? " of that kind" : ` of ${gone.name}`} before the step gave up; in the last pass it did: ${quoted(gone.frame.text, 140)}`,
        events: [one.seq],
        ts: failed.to,
        weight: isAside(evidence, gone) ? 0.66 : 0.8,
        isUnheard: true,
        heardAt: gone.frame.ts,
      },
    ];
  const changed = changedIn(evidence, said, usual);
  if (changed && changed.rank >= 1) return [told(changed.form, changed.words, changed.rank > 1 ? 0.9 : 0.84)];
  // The latest is nearest to the failure.
  for (const form of said.toReversed()) {
    if (!isKnown(form)) continue;
    const same = usual.map((list) => list.filter(({ name }) => name === form.name));
    const all = said.filter(({ name }) => name === form.name);
    const having = (forms: Form[], field: string) =>
      forms.filter(({ fields }) => fields.includes(field)).length;
    const lost = same[0]!
      .flatMap(({ fields }) => fields)
      .find(
        (field) =>
          !form.fields.includes(field) &&
          same.every(
            (forms) =>
              forms.length <= all.length &&
              having(forms, field) > having(all, field) &&
              // Messages without a name are of any kind: what not each of them has tells nothing.
              (form.name !== "" || having(forms, field) === forms.length),
          ),
      );
    const added = form.fields.find((field) =>
      ever.every((forms) => forms.every(({ name, fields }) => name !== form.name || !fields.includes(field))),
    );
    if (lost === undefined && added === undefined) continue;
    const how = [
      lost === undefined
        ? ""
        : `without the field ${quoted(lost, 60)}, which messages of that kind have in the last pass`,
      added === undefined ? "" : `with the field ${quoted(added, 60)}, which no pass has`,
    ].filter((words) => words !== "");
    return [
      told(
        form,
        `brought a message${form.name === "" ? "" : ` of ${form.name}`} ${how.join(" and ")}: ${quoted(form.frame.text, 140)}`,
        lost === undefined ? 0.7 : 0.86,
      ),
    ];
  }
  return changed && passes.length > 1 && isSteady(changed.difference)
    ? [told(changed.form, changed.words, 0.62)]
    : [];
}

/** Expectations of what stands somewhere. */
const OF_TEXT = /\bto(?:ContainText|HaveText|HaveValue)\(/;

/** The last message of a kind that has nowhere what the test looks for, where every pass's messages of that kind have it. */
function withoutTarget(
  evidence: Evidence,
  said: Form[],
  usual: Form[][],
): { form: Form; text: string } | null {
  for (const text of soughtTexts(evidence))
    for (const form of said.toReversed()) {
      const has = (other: Form) => other.name === form.name && other.frame.text.includes(text);
      if (form.name !== "" && !said.some(has) && usual.every((forms) => forms.some(has)))
        return { form, text };
    }
  return null;
}

/** The texts that the failed step looks for. */
function soughtTexts(evidence: Evidence): string[] {
  const sought = isMissing(evidence)
    ? [...targetOf(evidence).matchAll(/(?:hasText|name): '([^']{3,80})'|getByText\('([^']{3,80})'/g)]
    : [];
  const { expected: wanted, message } = evidence.failed;
  const expected = OF_TEXT.test(message) ? /^"?([^"]{4,})"?$/.exec(oneLine(wanted ?? ""))?.[1] : undefined;
  return [...sought.map(([, named, text]) => named ?? text!), ...(expected === undefined ? [] : [expected])];
}

const WORD = /[\p{L}\p{N}]{4,}/gu;

/** Whether a message has no word of what the failed step looks for: what others do comes when it comes. */
function isAside(evidence: Evidence, { frame }: Form): boolean {
  const said = frame.text.toLowerCase();
  const words = soughtTexts(evidence).flatMap((text) => text.toLowerCase().match(WORD) ?? []);
  return words.length > 0 && !words.some((word) => said.includes(word));
}
