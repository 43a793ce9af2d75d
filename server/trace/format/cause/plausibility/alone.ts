import { TYPES } from "../alone/requests/search.ts";
import { holds, soughtBy } from "../alone/requests/sought.ts";
import { textOf } from "../alone/requests/unsaid.ts";
import { isMadeByTest } from "../detectors/requests/requests.ts";
import { openedAfter } from "../page/filled.ts";
import { isMissing } from "../run/missing-element.ts";
import type { Step } from "../run/run-facts.ts";
import type { Evidence } from "../types.ts";
import { dayIn } from "../values/dates.ts";
import { quoted, requestOf } from "../words.ts";
import { ALONE_ANSWERS } from "./alone-answers.ts";
import { ALONE_BECAUSE } from "./alone-because.ts";
import { ALONE_NOISE, isSaidBy } from "./alone-noise.ts";
import { ALONE_OWN_WORDS } from "./alone-own-words.ts";
import { ALONE_TOLD_WITH } from "./alone-told-with.ts";
import { ASKED_SINCE } from "./asked-since.ts";
import { FOR_PERSON } from "./for-person.ts";
import { NO_PAGE } from "./no-such-page.ts";
import { OBJECTION } from "./objection.ts";
import { WRITE } from "./one-thing.ts";
import { all, atLeast, because, explained, lessBy, type Rule } from "./rule.ts";
import { LACKS, WAITS_BY_DESIGN } from "./words.ts";

/** An action that seems to have done nothing explains why nothing came; what stood there before it has not come in its place. */
const nothingDone: Rule = ({ kind, is_new }, { news }) =>
  is_new === null && kind === "element_renamed" && news.some(({ about }) => about?.startsWith("idle "))
    ? lessBy(0.8)
    : null;

/** Without a pass, what the page does not show is told with the answer that switches it off. */
const switchedOff: Rule = ({ kind, is_new, title }, { news }) => {
  if (is_new !== null || !/^element_(?:hidden|renamed)$/.test(kind)) return null;
  const answer = title.includes("; GET ") ? undefined : news.find((one) => one.isSwitchOff);
  return answer ? all(because(answer), atLeast(0.8)) : null;
};

/** Without a pass, what an answer switches off by its very name is no thing that a list lacks. */
const unlisted: Rule = ({ isLeftOut, is_new }, { news, evidence }) => {
  const name = is_new === null && isLeftOut ? soughtBy(evidence)?.text.toLowerCase() : undefined;
  return name !== undefined &&
    news.some((one) => one.isSwitchOff && one.title.toLowerCase().includes(`${name}”, which may`))
    ? lessBy(0.8)
    : null;
};

/** Without a pass, a date that an answer says was not made by a clock, and least of all one that no zone comes to. */
const saidDates: Rule = ({ otherTime, is_new }, { news, evidence: { failed } }) =>
  is_new !== null || otherTime === undefined
    ? null
    : news.some(({ isOfTime }) => isOfTime === true)
      ? lessBy(0.7)
      : news.some(({ shown }) => shown !== undefined)
        ? lessBy(areDaysApart(failed) ? 0.7 : 0.9)
        : null;

const areDaysApart = ({ expected, received }: Evidence["failed"]): boolean => {
  const [want, got] = [dayIn(expected ?? ""), dayIn(received ?? "")];
  return want !== null && got !== null && Math.abs(want - got) > 1;
};

/** Without a pass, where the page shows the key of a text, a text with the same letters in it is not what it shows. */
const untranslated: Rule = ({ kind, shown, isTextKey, is_new }, { news }) => {
  if (is_new !== null) return null;
  if (isTextKey) return atLeast(0.8);
  return kind === "answer_changed" && shown !== undefined && news.some((one) => one.isTextKey)
    ? lessBy(0.5)
    : null;
};

/** Without a pass, a day that an answer explains by its order is no other day of the clock. */
const reversedDays: Rule = ({ otherTime, is_new }, { news }) =>
  is_new === null && otherTime === "day" && news.some(({ isReversed }) => isReversed) ? lessBy(0.6) : null;

/** Without a pass, the day before or after the wanted one came of a moment that leaves its zone to the browser. */
const zoneless: Rule = ({ kind, shown, is_new }, { news, evidence: { failed } }) => {
  const [want, got] = [dayIn(failed.expected ?? ""), dayIn(failed.received ?? "")];
  const isNextDay = want !== null && got !== null && Math.abs(want - got) === 1;
  return is_new === null &&
    kind === "answer_changed" &&
    isNextDay &&
    MOMENT_WITHOUT_ZONE.test(shown ?? "") &&
    news.some(({ otherTime }) => otherTime === "day")
    ? all(atLeast(0.95), (told) => ({
        ...told,
        title: `${told.title}; it names no time zone, so that each browser takes it for its own time`,
      }))
    : null;
};

const MOMENT_WITHOUT_ZONE = /^\d{4}-\d\d-\d\dT[\d:.]+$/;

/** Without a pass, what was read once and shown stays so where the stream that was to bring the rest was refused. */
const unstreamed: Rule = ({ kind, shown, is_new }, { news }) =>
  is_new === null &&
  kind === "answer_changed" &&
  shown !== undefined &&
  news.some(({ isOverForGood }) => isOverForGood)
    ? explained
    : null;

/** Without a pass, what a page did at an action may come of what it threw at it, or was refused. */
const atTrouble: Rule = ({ is_new, about }, { news, settled }) =>
  is_new === null &&
  settled !== null &&
  AT_ACTIONS.test(about ?? "") &&
  news.some(
    ({ kind, weight, isOwn, ts }) =>
      (kind === "page_error" || kind === "request_failed") &&
      weight >= TROUBLE &&
      isOwn !== false &&
      ts !== null &&
      ts >= settled - 100,
  )
    ? lessBy(0.75)
    : null;

/** Without a pass, what was typed and is gone since the page was opened anew, a browser's store that failed had not kept. */
const unstored: Rule = ({ kind, title, is_new, ts }, { evidence }) => {
  if (is_new !== null || !/^(?:console|page)_error$/.test(kind) || !STORES.test(title)) return null;
  const lost = lostByOpening(evidence);
  return lost !== null && ts !== null && ts <= lost.opened.ts
    ? (told) => ({
        ...told,
        kind: "storage",
        title: `${told.title}; ${quoted(lost.text, 60)} was gone when the page was opened anew`,
        weight: 0.86,
      })
    : null;
};

/** What browsers call the stores of pages, and the errors of these. */
const STORES =
  /indexed ?db|\bIDB[A-Z]|\b(?:local|session)Storage\b|on 'Storage'|QuotaExceeded|DOM_QUOTA|TransactionInactiveError|ReadOnlyError/i;

/** What the test had typed and looks for in vain since it opened the page anew; null where there is none. */
function lostByOpening(evidence: Evidence): { text: string; opened: Step } | null {
  const { run, failed } = evidence;
  const text = soughtBy(evidence)?.text;
  if (text === undefined || holds(failed.received ?? "", text)) return null;
  const typed = run.facts.steps.findLast(
    (step) => TYPES.test(step.name) && step.end <= failed.from && holds(textOf(step) ?? "", text),
  );
  const opened = typed && openedAfter(run.facts, typed);
  return opened && opened.ts <= failed.from ? { text, opened } : null;
}

const AT_ACTIONS = /^(?:refused|acted key|body empty) /;
const TROUBLE = 0.7;

/** Without a pass, who came without a cookie is refused for want of it. */
const cookieless: Rule = ({ kind, status, events, is_new }, { news }) =>
  is_new === null &&
  kind === "request_failed" &&
  (status === 401 || status === 403) &&
  news.some(
    (one) => one.kind === "storage" && one.about?.startsWith("cookie ") && one.events.includes(events[0]!),
  )
    ? explained
    : null;

/** Without a pass, a control that is held back while an answer is waited for is most often held back for it. */
const heldByPending: Rule = ({ kind, is_new, title }, { news, evidence: { failed } }) => {
  if (kind !== "element_disabled" || is_new !== null || title.includes("; ")) return null;
  const pending = news.find(
    (one) =>
      one.kind === "request_pending" &&
      one.isOwn !== false &&
      !WAITS_BY_DESIGN.test(one.title) &&
      one.weight >= TROUBLE &&
      (one.ts ?? failed.to) <= failed.to,
  );
  return pending ? because(pending) : null;
};

/** Without a pass, a control is held back for want of what the test had typed into nothing. */
const heldByLostKeys: Rule = ({ kind, is_new }, { news }) => {
  if (kind !== "element_disabled" || is_new !== null) return null;
  const lost = news.find(({ about, weight }) => about?.startsWith("torn ") && weight >= TROUBLE);
  return lost ? lessBy(0.85) : null;
};

/** Without a pass, a control is most likely held back for a script that did not load, where nothing else is known of it. */
const heldByLostScript: Rule = ({ kind, is_new, title }, { news }) => {
  if (kind !== "element_disabled" || is_new !== null || title.includes("; ")) return null;
  const lost = news.find((one) => one.kind === "script_failed" && one.weight >= SCRIPT);
  return lost ? because(lost) : null;
};

const SCRIPT = 0.6;

/** Without a pass, what the page should have led on to did not come where the write for it was refused. */
const heldByRefusal: Rule = ({ kind, is_new, weight }, { news, settled }) => {
  if (kind !== "element_missing" || is_new !== null || weight < TROUBLE) return null;
  const refused = news.some(
    (one) =>
      one.kind === "request_failed" &&
      one.isOwn !== false &&
      one.weight >= TROUBLE &&
      WRITE.test(one.title) &&
      (one.ts ?? 0) >= (settled ?? 0) - 100,
  );
  return refused ? explained : null;
};

/** Without a pass, a question that the test itself answered with yes is no surprise to it. */
const answeredDialog: Rule = ({ kind, is_new, ts }, { evidence: { run } }) =>
  kind === "dialog" &&
  is_new === null &&
  ts !== null &&
  run.facts.steps.some(
    (step) => /(?:^|\.)dialog\.accept$/i.test(step.name) && step.ts >= ts - CLOCKS_APART_MS,
  )
    ? lessBy(0.5)
    : null;

/** What the runner and the browser say of one moment. */
const CLOCKS_APART_MS = 50;

/** Without a pass, a page says what it was refused with: the refusal comes first. */
const saidByRefusal: Rule = (finding, { news }) =>
  finding.kind === "page_message" &&
  finding.is_new === null &&
  news.some((one) => one.weight >= TROUBLE && isSaidBy(finding, one))
    ? explained
    : null;

/** Without a pass, a page that only says that it broke down says so for what it threw. */
const brokenDown: Rule = ({ kind, title, is_new }, { thrown, settled }) =>
  kind === "page_message" &&
  is_new === null &&
  thrown?.is_new === null &&
  (thrown.ts ?? 0) >= (settled ?? 0) - 100 &&
  BROKEN_DOWN.test(title)
    ? explained
    : null;

const BROKEN_DOWN =
  /\b(?:(?:has|have) crashed|crashed|something went wrong|unexpected (?:application )?error|application error|client-side exception|oops)\b/i;

/** Without a pass, a page that the last action opened is where the step should have looked. */
const openedElsewhere: Rule = ({ kind, is_new, ts }, { settled, evidence }) =>
  kind === "popup" &&
  is_new === null &&
  ts !== null &&
  settled !== null &&
  ts >= settled &&
  ts - settled <= OPENED_WITHIN_MS &&
  isMissing(evidence)
    ? atLeast(0.8)
    : null;

const OPENED_WITHIN_MS = 2_000;

/** Without a pass, what an answer had no value for before the last action says nothing of what that should have brought. */
const nothingYet: Rule = ({ kind, is_new, isNothing, ts }, { settled }) =>
  kind === "answer_changed" && is_new === null && isNothing && settled !== null && (ts ?? 0) < settled - 100
    ? lessBy(0.7)
    : null;

/** Without a pass, what a script cannot do with nothing is told with the answer that the test itself had just given it. */
const fedByTest: Rule = (finding, { thrown, settled, evidence: { run, failed } }) => {
  const isShown = finding.kind === "page_message" && NOTHING_TO_READ.test(finding.title);
  const isThrown = finding === thrown && LACKS.test(finding.title);
  if (finding.is_new !== null || !(isShown || isThrown)) return null;
  // What stands on the page is not known by its moment.
  const [from, to] = isShown
    ? [settled ?? 0, failed.to]
    : [(finding.ts ?? 0) - FETCHED_WITHIN_MS, (finding.ts ?? 0) + 50];
  const given = run.facts.exchanges.findLast(
    (one) =>
      one.handled === "fulfilled" &&
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      (one.end ?? one.ts) >= from &&
      (one.end ?? one.ts) <= to,
  );
  return given === undefined
    ? null
    : all(
        (told) => ({
          ...told,
          title: `${told.title}; the test's own route had just answered ${requestOf(given, run.facts)}`,
          events: [...told.events, given.seq],
        }),
        atLeast(0.95),
      );
};

/** What browsers say of a value that is none, as pages show it. */
const NOTHING_TO_READ =
  /Cannot read propert(?:y|ies) of (?:undefined|null)|(?:undefined|null) is not an object/;

/** Without a pass, what the page could not fetch is told with the request that the test's own route ended. */
const endedByTest: Rule = (finding, { thrown, news, evidence: { run } }) => {
  if (finding !== thrown || finding.is_new !== null || !UNFETCHED.test(finding.title)) return null;
  const ended = news.find(
    (one) =>
      one.kind === "request_failed" &&
      isMadeByTest(one) &&
      Math.abs((one.ts ?? 0) - (finding.ts ?? 0)) <= FETCHED_WITHIN_MS &&
      run.facts.exchanges.some(
        ({ seq, type }) => seq === one.events[0] && /^(?:xhr|fetch)$/.test(type ?? ""),
      ),
  );
  return ended === undefined
    ? null
    : because({ ...ended, title: `${ended.title}, as the test's own route ended it` });
};

const UNFETCHED = /Failed to fetch|NetworkError|Load failed/;
const FETCHED_WITHIN_MS = 500;

/** Without a pass, what stands in the place of an element on another page than the one that was asked for stands there for that. */
const onOtherPage: Rule = ({ kind, is_new }, { news }) =>
  kind === "element_renamed" &&
  is_new === null &&
  news.some((one) => one.kind === "redirected" && one.weight >= TROUBLE && one.isOwn !== false)
    ? lessBy(0.7)
    : null;

/** What is judged otherwise where there is no pass to compare with. */
export const ALONE_RULES: readonly Rule[] = [
  ...ALONE_NOISE,
  ...ASKED_SINCE,
  ...ALONE_ANSWERS,
  ...ALONE_BECAUSE,
  ...ALONE_TOLD_WITH,
  ...ALONE_OWN_WORDS,
  ...FOR_PERSON,
  ...OBJECTION,
  ...NO_PAGE,
  nothingDone,
  saidDates,
  switchedOff,
  unlisted,
  untranslated,
  reversedDays,
  zoneless,
  unstreamed,
  atTrouble,
  unstored,
  cookieless,
  endedByTest,
  heldByPending,
  heldByLostKeys,
  heldByLostScript,
  heldByRefusal,
  answeredDialog,
  nothingYet,
  openedElsewhere,
  saidByRefusal,
  brokenDown,
  fedByTest,
  onOtherPage,
];
