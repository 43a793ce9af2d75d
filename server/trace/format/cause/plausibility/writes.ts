import { requestBodyOf } from "../sent.ts";
import type { Finding } from "../types.ts";
import { requestOf } from "../words.ts";
import { all, atLeast, because, explained, lessBy, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";
import { GAVE_OTHERWISE, TO_ANOTHER } from "./words.ts";

/** What the page asks a person in an alert is what a request or the test's own data led to. */
const alerted: Rule = (finding, { news, isGivenOtherwise }) =>
  finding.kind === "dialog" &&
  (isGivenOtherwise || news.some((one) => one.kind === "request_failed" && isJustBefore(one, finding)))
    ? explained
    : null;

/** A page tells of a refusal as soon as it has it. */
const TOLD_WITHIN_MS = 2_000;

const isJustBefore = (one: Finding, other: Finding): boolean =>
  one.is_new !== false &&
  one.isOwn !== false &&
  one.ts !== null &&
  other.ts !== null &&
  one.ts <= other.ts + 50 &&
  other.ts - one.ts <= TOLD_WITHIN_MS;

/** What the test gave is told with what the page said to it. */
const objected: Rule = (finding, { news }) => {
  if (finding.kind !== "test_code" || !GAVE_OTHERWISE.test(finding.title) || finding.is_new !== true)
    return null;
  const dialog = news.find(
    ({ kind, is_new, ts }) => kind === "dialog" && is_new === true && (ts ?? 0) >= (finding.ts ?? 0),
  );
  return dialog ? all(because(dialog), atLeast(0.97)) : null;
};

/** What the page sends of what the test gave it is what the test gave. */
const sentAsGiven: Rule = ({ about }, { isGivenOtherwise }) =>
  isGivenOtherwise && about?.startsWith("body ") ? lessBy(0.8) : null;

const isSentOtherwise = ({ about, is_new }: Finding): boolean =>
  is_new === true && about?.startsWith("body ") === true;

/** What a changed script has a page send, and what is read right afterwards. */
const READ_WITHIN_MS = 2_000;
/** What tells of the client and not of what a person did. */
const OF_CLIENT =
  /was sent with(?:out)? the field \S*(?:version|client|build|release|locale|lang|zone|device|agent)/i;

/** Whether what was sent otherwise comes back in a later answer, as far as that can be told. */
function comesBack(sent: Finding, read: Finding, { deed }: Scene): boolean {
  if (read.kind !== "answer_changed" && read.kind !== "stale_answer") return false;
  if (read.ts === null || sent.ts === null || read.ts <= sent.ts) return false;
  if (sent.weight >= 0.9) return true;
  const isOwnAnswer = read.title.startsWith(`${sent.title.slice(0, sent.title.indexOf(" was sent"))} `);
  if (TO_ANOTHER.test(sent.title)) return isOwnAnswer || isOfOneThing(sent.title, read.title);
  return sent === deed && !OF_CLIENT.test(sent.title) && read.ts - sent.ts <= READ_WITHIN_MS;
}

/** What was sent otherwise is told before the answers in which it comes back. */
const saidBack: Rule = (finding, scene) => {
  const { news } = scene;
  if (isSentOtherwise(finding))
    return news.some((one) => comesBack(finding, one, scene)) ? atLeast(0.92) : null;
  return news.some((one) => isSentOtherwise(one) && comesBack(one, finding, scene)) ? explained : null;
};

/** What a write that was refused would have changed stays as it was, for whoever reads it later. */
const unsaved: Rule = (finding, { news }) =>
  isOfRead(finding) &&
  news.some(
    (one) =>
      one.kind === "request_failed" &&
      one.is_new === true &&
      one.weight >= 0.8 &&
      (one.ts ?? Number.POSITIVE_INFINITY) < (finding.ts ?? 0) &&
      isOfOneThing(one.title, finding.title),
  )
    ? explained
    : null;

/** What was never sent to be kept is not there when it is read again. */
const unwritten: Rule = (finding, { news }) =>
  isOfRead(finding) &&
  finding.is_new === true &&
  news.some(
    (one) =>
      one.kind === "request_unsent" &&
      (one.ts ?? Number.POSITIVE_INFINITY) < (finding.ts ?? 0) &&
      isOfOneThing(one.title, finding.title),
  )
    ? explained
    : null;

const isOfRead = ({ kind, title }: Finding) =>
  (kind === "answer_changed" || kind === "stale_answer") && title.startsWith("GET ");
const WRITE = /^(?:POST|PUT|PATCH|DELETE) (\S+)/;

/** Whether what is written and what is read have the last word of their addresses in common. */
function isOfOneThing(written: string, read: string): boolean {
  const [mine, theirs] = [WRITE.exec(written)?.[1], /^GET (\S+)/.exec(read)?.[1]].map((address) =>
    (address ?? "")
      .replace(/[?#].*/s, "")
      .split("/")
      .filter((word) => /[a-z]{3}/i.test(word) && word !== "api"),
  ) as [string[], string[]];
  const [last, lastRead] = [mine.at(-1), theirs.at(-1)];
  return last !== undefined && lastRead !== undefined && (theirs.includes(last) || mine.includes(lastRead));
}

/** What a form accepts, a script decides: where nothing says why an element is disabled, the one that changed is told with it. */
const decided: Rule = ({ kind, is_new, title }, { news, isGivenOtherwise, isRemade }) => {
  if (kind !== "element_disabled" || is_new !== true || isGivenOtherwise || isRemade) return null;
  const script = title.includes("; ") ? undefined : news.find((one) => one.title.startsWith("The script "));
  return script ? because(script) : null;
};

/** What was sent to be kept, answered well, and read as it was before: it was not kept. */
const unkept: Rule = (finding, { evidence: { failed, run } }) => {
  if (!isOfRead(finding) || finding.is_new !== true) return null;
  const value = (failed.expected ?? "").replace(/^["'`]|["'`]$/g, "");
  if (value.length < 3) return null;
  const write = run.facts.exchanges.findLast(
    (one) =>
      one.status !== null &&
      one.status < 300 &&
      one.ts < (finding.ts ?? 0) &&
      isOfOneThing(requestOf(one, run.facts), finding.title) &&
      JSON.stringify(requestBodyOf(one, run) ?? "").includes(JSON.stringify(value).slice(1, -1)),
  );
  return write === undefined
    ? null
    : (told) => ({
        ...told,
        title: `${told.title}; ${requestOf(write, run.facts)} had been sent with it and answered with ${write.status}: it was not kept, or another one is read`,
        events: [...told.events, write.requestSeq ?? write.seq],
      });
};

/** Rules of what a test gives, what a page sends of it, and what a server keeps. */
export const WRITES: readonly Rule[] = [
  alerted,
  objected,
  sentAsGiven,
  saidBack,
  unwritten,
  unsaved,
  decided,
  unkept,
];
