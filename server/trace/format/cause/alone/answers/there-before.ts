import { askedIn, isRead, isWrite, requestText } from "../../exchanges/sent.ts";
import { isFill, isSetting, pickedBy } from "../../page/field-values.ts";
import { OPENS } from "../../page/filled.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { listsIn } from "../../values/lists.ts";
import { isShared, wordsIn } from "../../word-families.ts";
import { aboutUrl, bareOf, bodyOf, isTracker, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { sizeOf } from "../requests/asked-size.ts";
import { isReport } from "../requests/reports.ts";
import { holds } from "../requests/sought.ts";

const MOST = 60;
const MOST_ITEMS = 40;
const MOST_NAMED = 8;
const MOST_OTHERS = 3;
const BEFORE = "before this run had changed anything";

/** What is more than the test expects, and what an answer had before this run wrote anything: it was left there by others, or belongs there by now. */
export function detectThereBefore(evidence: Evidence): Finding[] {
  const found = tooMany(evidence) ?? tooMuch(evidence);
  if (!found) return [];
  const { one, words } = found;
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(one, evidence.run.facts)} ${words}`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq],
      ts: evidence.failed.from,
      is_new: null,
      weight: 0.84,
      about: aboutUrl(one.url, evidence.run.facts, one.operation),
    },
  ];
}

interface Found {
  one: Exchange;
  words: string;
}

/** More things than are wanted, as many as a list had before, and those that this run has written since. */
function tooMany(evidence: Evidence): Found | null {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => countIn(text ?? "")) as [Count, Count];
  if (!want || !got || want.rest !== got.rest || got.count <= want.count || got.count > MOST_ITEMS)
    return null;
  const written = ownWrites(evidence);
  const before = got.count - written.length;
  // Of far too many the reason is another: nothing limits them.
  if (want.count > before || before - want.count > Math.max(MOST_OTHERS, want.count)) return null;
  const looked = wordsIn(`${targetOf(evidence)} ${failed.expected} ${failed.title}`);
  for (const one of readsUntil(evidence, written[0])) {
    const list = listsIn(jsonOf(bodyOf(one, run.bodies) ?? "")).find(
      ({ path, items }) =>
        items.length === before && isShared(looked, wordsIn(`${one.url} ${one.operation} ${path}`)),
    );
    // A page of a list that is as long as it was asked for has more behind it.
    if (!list || !isAsAsked(one, written, evidence) || sizeOf(one, before, run)) continue;
    const names = list.items.map(nameOf).filter((name) => name !== null);
    if (names.length === 0) continue;
    const told = names.slice(0, MOST_NAMED).map((name) => quoted(name, 30));
    const since =
      written.length === 0
        ? ""
        : `, and ${written.length === 1 ? "one" : written.length} came by ${requestOf(written.at(-1)!, run.facts)}`;
    return {
      one,
      words: `had ${before} already${list.path === "" ? "" : ` for ${quoted(list.path, 60)}`}, ${BEFORE}${since}, where the test expects ${want.count} in all: ${told.join(", ")}${names.length > told.length ? ", …" : ""}`,
    };
  }
  return null;
}

/** Whether all that the test had set on that page was asked for with the answer, or written: what it chose in vain makes a list too long, too. */
function isAsAsked(one: Exchange, written: readonly Exchange[], { run, failed }: Evidence): boolean {
  const { steps } = run.facts;
  const opened = steps.findLast(({ name, ts }) => OPENS.test(name) && ts <= failed.from)?.ts ?? 0;
  const said = [one, ...written]
    .map((each) => `${askedIn(each, run)} ${requestText(each, run.bodies)}`)
    .join(" ");
  return steps
    .filter((step) => step.ts >= opened && step.ts <= failed.from && isSetting(step))
    .every((step) => {
      const given = isFill(step) ? [String(step.params.value)] : pickedBy(step);
      return (
        given.length > 0 && given.every((text) => holds(said, text) || holds(said, encodeURIComponent(text)))
      );
    });
}

/** A text beside those that are wanted, or in the place of the wanted one, which an answer had before. */
function tooMuch(evidence: Evidence): Found | null {
  const { run, failed } = evidence;
  if (ownWrites(evidence).length > 0 || failed.step?.kind !== "assertion") return null;
  const extra = extraIn(evidence);
  if (extra === null) return null;
  for (const one of readsUntil(evidence)) {
    const leaf = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(({ value }) => value === extra);
    if (leaf)
      return {
        one,
        words: `had ${quoted(extra, 60)} already for ${quoted(leaf.path, 60)}, ${BEFORE}, and the test does not expect it`,
      };
  }
  return null;
}

/** The one text of a list that stands beside all that are wanted; null where it is not one. */
function extraIn({ failed }: Evidence): string | null {
  const [want, got] = [failed.expected, failed.received].map((text) => textsIn(text ?? ""));
  if (!want || !got || got.length !== want.length + 1) return null;
  const others = got.filter((text) => !want.includes(text));
  return others.length === 1 && want.every((text) => got.includes(text)) ? others[0]! : null;
}

const textsIn = (said: string): string[] | null =>
  /^(?:Array )?\[/.test(said.trim())
    ? [...said.matchAll(/"((?:[^"\\]|\\.){1,300})"/g)].map(([, text]) => text!)
    : null;

type Count = { count: number; rest: string } | null;

/** The one number of a text, and what else it says. */
function countIn(said: string): Count {
  const text = bareOf(said);
  const numbers = text.match(/\d+/g) ?? [];
  return numbers.length === 1 && /^\d{1,3}$/.test(numbers[0]!) && !/[.,%€$£]/.test(text)
    ? { count: Number(numbers[0]), rest: text.replace(/\d+/, "#").replace(/(?<=\p{L}{2})s\b/gu, "") }
    : null;
}

/** What this run has changed by then, by its page or by its test; signing in changes no thing. */
export const ownWrites = ({ run, failed }: Evidence): Exchange[] =>
  lastOf(
    run.facts.exchanges,
    MOST,
    (one) =>
      one.ts <= failed.to &&
      (one.method === "DELETE" || isWrite(one, run)) &&
      !isTracker(one.url) &&
      !isBeside(one) &&
      !isReport(run, one) &&
      !SIGN_IN.test(`${one.url} ${one.operation}`),
  );

/** Answers to questions before a write, or all of them; the last ones first. */
const readsUntil = (evidence: Evidence, write?: Exchange): Exchange[] =>
  answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, evidence.run) && (write === undefined || (one.end ?? one.ts) <= write.ts),
  ).toReversed();

const NAMED = /^(?:name|title|label|subject|text|body|code|sku|number|email)$/i;

/** What a thing goes by. */
function nameOf(item: unknown): string | null {
  const entries = isRecord(item) ? Object.entries(item) : [];
  const [, name] = entries.find(([key, value]) => NAMED.test(key) && typeof value === "string") ?? [];
  return typeof name === "string" && name.trim() !== "" ? name : null;
}
