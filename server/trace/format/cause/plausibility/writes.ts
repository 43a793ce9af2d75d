import { isWrite, requestBodyOf } from "../exchanges/sent.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { CauseKind, Evidence, Finding, RunEvidence } from "../types.ts";
import { leavesOf } from "../values/json-leaves.ts";
import { quoted } from "../words.ts";
import { asBeforeWrite } from "./as-before.ts";
import { asForOne } from "./as-for-one.ts";
import { isRefusedEmpty } from "./left-empty.ts";
import { isMetBy } from "./met-by-change.ts";
import { isOfRead, isReadOf, WRITE } from "./one-thing.ts";
import { hasOtherCode } from "./other-code.ts";
import { all, atLeast, because, explained, lessBy, type Rule } from "./rule.ts";
import { byAsMuch } from "./same-gap.ts";
import { notTaken, readInPart, readUntaken, takenInPart } from "./taken.ts";
import { fromCopy, unkept } from "./unkept.ts";

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
  if (finding.kind !== "test_code" || !finding.isGivenOtherwise || finding.is_new !== true) return null;
  const dialog = news.find(
    ({ kind, is_new, ts }) => kind === "dialog" && is_new === true && (ts ?? 0) >= (finding.ts ?? 0),
  );
  return dialog ? all(because(dialog), atLeast(0.97)) : null;
};

/** What went into another field, by a label whose id stands twice, is sent without what it was to have, or with what another was to have. */
export const sentWithoutEntered: Rule = (finding, { astray, evidence }) =>
  (finding.about?.startsWith("body ") || finding.isAskedOtherwise || finding.kind === "request_failed") &&
  astray.some((one) => {
    const value = givenTo(one, evidence.run);
    return (
      value !== null &&
      (placesOf(value).some((words) => finding.title.includes(words)) ||
        isRefusedEmpty(finding, value, evidence))
    );
  })
    ? explained
    : null;

/** How it is told that a value was sent in the place of another, or another in its place. */
const placesOf = (value: string): string[] => {
  const said = quoted(value, 60);
  return [`${said} where the last pass sent`, `where the last pass sent ${said}`];
};

/** What the test gave an element; null where that is no text. */
function givenTo({ events }: Finding, { facts }: RunEvidence): string | null {
  const value = facts.steps.find(({ seq }) => seq === events[0])?.params.value;
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** What the page sends of what the test gave it is what the test gave. */
const sentAsGiven: Rule = ({ about }, { isGivenOtherwise }) =>
  isGivenOtherwise && about?.startsWith("body ") ? lessBy(0.8) : null;

/** What a write that was refused, or never sent, would have changed stays as it was, for whoever reads it later; what was sent otherwise is read so. */
const unsaved: Rule = (finding, { news }) =>
  isOfRead(finding) &&
  news.some(
    (one) =>
      one.is_new === true &&
      (one.kind === "request_unsent" ||
        one.about?.startsWith("late ") ||
        one.isToAnother ||
        (one.weight >= 0.8 && (one.kind === "request_failed" || one.about?.startsWith("body ")))) &&
      (one.ts ?? Number.POSITIVE_INFINITY) < (finding.ts ?? 0) &&
      isReadOf(finding, one),
  )
    ? explained
    : null;

/** What a form lost, a page that broke or a write that failed or never went out made it lose. */
const unkeptField: Rule = ({ about, ts }, { news }) =>
  about?.startsWith("forgot ") &&
  news.some(
    (one) =>
      one.is_new !== false &&
      one.isOwn !== false &&
      one.weight >= 0.65 &&
      BROKEN.has(one.kind) &&
      (one.ts ?? 0) >= (ts ?? 0) - 100,
  )
    ? lessBy(0.75)
    : null;

const BROKEN = new Set<CauseKind>(["request_failed", "request_unsent", "request_pending", "page_error"]);

/** What a form accepts and keeps and a page shows, a script decides: where nothing says why an element is disabled or hidden, or something there twice, the one that changed is told with it. */
const decided: Rule = ({ kind, is_new, title, about, isDoubled }, { news, isGivenOtherwise, isRemade }) => {
  const isOfScript =
    /^element_(?:ambiguous|disabled|hidden)$/.test(kind) || about?.startsWith("forgot ") || isDoubled;
  if (!isOfScript || is_new !== true || isGivenOtherwise || isRemade) return null;
  const script = title.includes("; ") ? undefined : news.find((one) => one.file === "script");
  return script ? because(script) : null;
};

/** The request whose answer was changed: of one that stood still, the last. */
const askedFor = ({ kind, events, isStuck }: Finding, { run }: Evidence): Exchange | undefined => {
  const asked = isStuck ? events.at(-1) : events[0];
  return kind === "answer_changed" ? run.facts.exchanges.find(({ seq }) => seq === asked) : undefined;
};

/** What was asked for again and again stays as it was where what should change it was refused, or never sent. */
const stuckForWantOf: Rule = ({ isStuck, ts }, { news, evidence }) => {
  if (!isStuck) return null;
  const writes = news.filter(
    (one) =>
      one.is_new === true &&
      one.isOwn !== false &&
      WRITE.test(one.title) &&
      (one.kind === "request_unsent" || (one.kind === "request_failed" && one.weight >= 0.8)) &&
      (one.ts ?? 0) >= Math.min(ts ?? 0, evidence.failed.from) - STUCK_WITHIN_MS,
  );
  const heaviest = Math.max(...writes.map(({ weight }) => weight));
  return writes.length === 0 ? null : (told) => ({ ...told, weight: Math.min(told.weight, heaviest * 0.9) });
};

/** What was not written long before is another story. */
const STUCK_WITHIN_MS = 5_000;

/** The words of the place that an answer was told of: `/data/markRead/unread` is of marking, reading and what is unread. */
const wordsOf = ({ place = "" }: Finding): string[] =>
  place
    .split("/")
    .slice(-2)
    .flatMap((name) => name.split(/(?=[A-Z])|[^a-zA-Z]+/))
    .filter((word) => word.length > 3)
    .map((word) => word.toLowerCase());

/** What is read of a thing follows from what was answered to who changed it. */
const answeredSo: Rule = (finding, { news, evidence }) => {
  const read = askedFor(finding, evidence);
  if (!read || finding.is_new !== true || isWrite(read, evidence.run)) return null;
  const words = wordsOf(finding);
  const write = news.find((one) => {
    if (one.is_new !== true || !wordsOf(one).some((word) => words.includes(word))) return false;
    const asked = askedFor(one, evidence);
    return asked !== undefined && asked.ts <= read.ts && isWrite(asked, evidence.run);
  });
  return write === undefined
    ? null
    : all(explained, (told) => ({ ...told, weight: Math.min(told.weight, write.weight * 0.95) }));
};

/** What was sent once too often is refused for it. */
const refusedTwice: Rule = (finding, { news }) =>
  finding.kind === "request_failed" &&
  news.some(
    (one) =>
      one.kind === "request_repeated" &&
      one.is_new !== false &&
      one.about === `sent ${finding.about}` &&
      one.events.length > 1 &&
      one.events.includes(finding.events[0]!),
  )
    ? explained
    : null;

/** What was refused for what it was sent with is told with the answer that gave it. */
const sentAsAnswered: Rule = ({ kind, events }, { news }) => {
  if (kind !== "request_failed") return null;
  const giver = news.find(({ about }) => about === `gave ${events[0]}`);
  return giver ? because(giver) : null;
};

/** What was not sent or done in time the test no longer waits for. */
const notAwaited: Rule = (finding, { news }) => {
  if (finding.isUnawaited === true) return atLeast(0.97);
  if (finding.isAwaitGone !== true) return null;
  const unsent = news.find(({ kind, is_new }) => kind === "request_unsent" && is_new === true);
  return unsent ? all(because(unsent), atLeast(0.97)) : null;
};

/** A test that was changed is why it fails, where the product's own code is that of the passes; it is told with the first request that went another way. */
const rewrittenTest: Rule = (finding, { news }) => {
  const { isOfTest, isOfNetwork } = finding;
  if (!isOfTest || hasOtherCode(news) || news.some((one) => isMetBy(finding, one))) return null;
  const others = news.filter((one) => one.is_new === true && one.ts !== null && isOfRequest(one));
  // What a route holds back is told with the route.
  if (isOfNetwork && others.some(({ kind }) => kind !== "page_changed")) return null;
  // What was refused tells more than what was sent.
  const isRefused = ({ kind }: Finding) => kind === "request_failed" || kind === "request_pending";
  const [first] = others.toSorted((a, b) => Number(isRefused(b)) - Number(isRefused(a)) || a.ts! - b.ts!);
  const told =
    first ??
    news.find((one) => (isOfNetwork ? isRouted(one, news) : isReorderedBy(finding, one))) ??
    whatCameOf(finding, news);
  return all(...(told ? [because(told)] : []), atLeast(0.98));
};

/** Whom a changed test no longer lets be known, or by another clock no longer, the product sends nothing along for: its code is that of the passes. */
const unknownByTest: Rule = ({ isUnaccompanied, ts }, { news }) =>
  isUnaccompanied &&
  news.some(({ isOfTest, changedFrom }) => isOfTest && (changedFrom ?? 0) <= (ts ?? 0)) &&
  !hasOtherCode(news)
    ? explained
    : null;

/** What is answered otherwise to steps that the test does in another order is answered so for that order. */
const reordered: Rule = (finding, { news }) =>
  finding.kind === "answer_changed" &&
  news.some((change) => change.isOfTest && isReorderedBy(change, finding)) &&
  !hasOtherCode(news)
    ? explained
    : null;

const isReorderedBy = (
  { isMovedTest, changedFrom }: Finding,
  { kind, is_new, ts, weight }: Finding,
): boolean =>
  isMovedTest === true &&
  kind === "answer_changed" &&
  is_new === true &&
  weight >= 0.7 &&
  (ts ?? 0) >= (changedFrom ?? Number.POSITIVE_INFINITY);

/** The surest of what a changed test met otherwise from there on; of what it no longer waits for, that says it itself. */
const whatCameOf = ({ isUnawaited, changedFrom }: Finding, news: readonly Finding[]): Finding | undefined =>
  isUnawaited
    ? undefined
    : news
        .filter(({ kind, is_new, weight }) => is_new === true && weight >= SURE && MET.has(kind))
        .filter(({ ts }) => (ts ?? 0) >= (changedFrom ?? 0))
        .toSorted((a, b) => b.weight - a.weight)[0];

const SURE = 0.8;
const MET: ReadonlySet<Finding["kind"]> = new Set([
  "dialog",
  "storage",
  "answer_changed",
  "redirected",
  "page_message",
  "element_missing",
]);

const isOfRequest = ({ kind, weight, about, isOwn, isOfSetUp, step_id }: Finding): boolean =>
  isOwn !== false &&
  (isOfSetUp === true ||
    (weight >= 0.7 && (kind === "request_failed" || kind === "request_pending")) ||
    (weight >= 0.9 && kind === "page_changed" && step_id !== null) ||
    about?.startsWith("body ") === true);

/** Whether the test's own route had a hand in it. */
const isRouted = ({ kind, about }: Finding, news: readonly Finding[]): boolean =>
  (kind === "answer_changed" || kind === "request_failed") &&
  news.some((one) => one.kind === "test_code" && one.is_new === true && one.about === `route ${about}`);

/** What the server answered in the place of the test's own route is another answer of course, and what the test aborted failed. */
const routed: Rule = (finding, { news }) => (isRouted(finding, news) ? explained : null);

/** Whether a request was sent with fields of which none holds a value. */
function isSentWithout(value: string, { events }: Finding, run: RunEvidence): boolean {
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  const leaves = one ? leavesOf(requestBodyOf(one, run)) : [];
  return leaves.length > 0 && leaves.every((leaf) => String(leaf.value) !== value);
}

/** What pages say of a field that nothing was written into. */
const WANTS_VALUE =
  /\brequired\b|\bempty\b|\bblank\b|\bmissing\b|must be filled|please (?:enter|fill|give|provide)/i;

/** What went into another field is missing in what is sent afterwards, and refused for it, or asked for by the page: no symptom of that refusal. */
export const enteredElsewhere: Rule = ({ astray, is_new, events, ts }, { news, evidence }) => {
  const { run, passes } = evidence;
  if (is_new === false || astray === undefined) return null;
  const value = givenTo({ events } as Finding, run);
  if (value === null) return null;
  const said = quoted(value, 60);
  const isLeftOut = (one: Finding) =>
    passes.length === 0
      ? isSentWithout(value, one, run)
      : [`where the last pass sent ${said},`, `${said}, which the last pass sent,`].some((words) =>
          one.title.includes(words),
        );
  const isSent = (one: Finding) =>
    astray === "label" &&
    one.about?.startsWith("body ") === true &&
    placesOf(value).some((words) => one.title.includes(words));
  const isRefused = (one: Finding) =>
    one.kind === "page_message"
      ? WANTS_VALUE.test(one.title) || (astray === "label" && one.heldField !== undefined)
      : one.kind === "request_failed" &&
        (isLeftOut(one) ||
          isRefusedEmpty(one, value, evidence) ||
          (astray === "label" && placesOf(value).some((words) => one.title.includes(words))));
  return news.some((one) => (one.ts ?? 0) > (ts ?? 0) && (isRefused(one) || isSent(one)))
    ? atLeast(astray === "label" ? 0.96 : 0.95)
    : null;
};

/** A form that is held back after something went into another field, by a label whose id stands twice, is held back for that. */
const heldByOther: Rule = ({ heldField, ts }, { astray }) =>
  heldField !== undefined && astray.some((one) => (one.ts ?? 0) <= (ts ?? 0)) ? explained : null;

/** Rules of what a test gives, what a page sends of it, and what a server keeps. */
export const WRITES: readonly Rule[] = [
  alerted,
  objected,
  sentAsGiven,
  routed,
  rewrittenTest,
  unknownByTest,
  reordered,
  answeredSo,
  stuckForWantOf,
  refusedTwice,
  sentAsAnswered,
  notAwaited,
  unsaved,
  unkeptField,
  heldByOther,
  decided,
  unkept,
  notTaken,
  readUntaken,
  takenInPart,
  readInPart,
  fromCopy,
  asBeforeWrite,
  asForOne,
  byAsMuch,
];
