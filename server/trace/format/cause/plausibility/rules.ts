import { UNREADABLE } from "../detectors/answers/no-data.ts";
import type { CauseKind, Finding } from "../types.ts";
import { quoted, SIGN_IN } from "../words.ts";
import { ACTED } from "./acted.ts";
import { ALONE_RULES } from "./alone.ts";
import { BY_SCRIPT } from "./by-script.ts";
import { CLOCKS, stoppedByTest } from "./clocks.ts";
import { DEEDS } from "./deeds.ts";
import { DRAWN } from "./drawn.ts";
import { FOR_WANT_OF } from "./for-want-of.ts";
import { gaveNothing } from "./gave-nothing.ts";
import { INSTEAD } from "./instead.ts";
import { NO_SUCH_PAGE } from "./no-such-page.ts";
import { ORDERS } from "./orders.ts";
import { OTHER_ORIGIN } from "./other-origin.ts";
import { isOwnCause, isPlaced } from "./own-cause.ts";
import { REFUSED_FOR } from "./refused-for.ts";
import { answersToRepeated } from "./repeated.ts";
import { REPLACED } from "./replaced.ts";
import { all, atLeast, because, explained, lessBy, type Rule } from "./rule.ts";
import { CAUSES, isEchoOf, type Scene } from "./scene.ts";
import { isMalformed, SENT, SENT_LAST } from "./sent.ts";
import { explainsBy, isStyleSheet, movesPointer } from "./styles.ts";
import { TOLD_WITH } from "./told-with.ts";
import { ofRefusal } from "./unparsed.ts";
import { INVALID_TIME, LACKS } from "./words.ts";
import { enteredElsewhere, sentWithoutEntered, WRITES } from "./writes.ts";
import { isAfterAnswer, WRITTEN_OTHERWISE } from "./written-otherwise.ts";

/** What a script that did not load leaves undefined is its echo. */
const lostScripts: Rule = (finding, { lostScript, isLostScriptMissed }) => {
  if (!lostScript) return null;
  if (finding === lostScript) return isLostScriptMissed ? atLeast(0.95) : null;
  return isEchoOf(finding, lostScript) ? explained : null;
};

/** What a helper says it has not found is what an answer left out; what it throws is an assertion by other means. */
const thrownByTests: Rule = ({ kind, about }, { isEmptied, isSaid }) =>
  // A route that took a request, or a wait that began too late, is seen.
  (isEmptied || isSaid) && kind === "test_code" && !/^(?:route|waited) /.test(about ?? "") ? explained : null;

/** Where a form sends a person on, it says why. */
const sentOn: Rule = ({ kind, title }, { isTold }) =>
  isTold && kind === "redirected" && !SIGN_IN.test(title) ? explained : null;

/** An answer that sends a person to the sign-in needs no data. */
const emptyBySignIn: Rule = ({ isWithoutData, ts }, { news }) =>
  isWithoutData &&
  news.some(
    (one) =>
      one.kind === "redirected" &&
      one.is_new === true &&
      SIGN_IN.test(one.title) &&
      (one.ts ?? 0) >= (ts ?? Number.POSITIVE_INFINITY),
  )
    ? explained
    : null;

/** Who was not handed a token is refused for want of it. */
const untokened: Rule = (finding, { news }) => {
  if (finding.isOfToken)
    return news.some((one) => one.is_new === true && isRefusal(one)) ? atLeast(0.97) : null;
  return isRefusal(finding) && news.some((one) => one.isOfToken) ? explained : null;
};

/** Whether a cookie goes along with a request, the terms say under which it was set. */
const otherTerms: Rule = ({ lackedCookie, otherCookie, is_new }, { news }) => {
  if (is_new !== true) return null;
  if (lackedCookie !== undefined)
    return news.some((one) => one.otherCookie === lackedCookie && one.is_new === true) ? explained : null;
  return otherCookie !== undefined &&
    news.some((one) => one.lackedCookie === otherCookie && one.is_new === true)
    ? atLeast(0.985)
    : null;
};

/** 419 is what Laravel answers to an expired token. */
const isRefusal = ({ kind, status }: Finding): boolean =>
  kind === "request_failed" && (status === 401 || status === 403 || status === 419);

/** Who is sent to the sign-in is refused what its page asks for, for the same reason. */
const signedOut: Rule = ({ kind, status, ts, is_new }, { news }) =>
  kind === "request_failed" &&
  status === 401 &&
  news.some(
    (one) =>
      one.kind === "redirected" &&
      SIGN_IN.test(one.title) &&
      one.weight >= 0.7 &&
      one.sentAt !== undefined &&
      one.sentAt < (ts ?? 0),
  )
    ? // Without a pass the page that was sent away tells less by itself.
      lessBy(is_new === null ? 0.7 : 0.85)
    : null;

/** What hides an element is the answer whose values say another thing than in passes. */
const hiddenByAnswer: Rule = ({ kind, title, isMoved, isOfWindow }, { news, restyled }) =>
  kind === "element_hidden" &&
  !isMoved &&
  !isOfWindow &&
  !restyled &&
  !title.includes("style sheet") &&
  news.some(
    (one) =>
      one.kind === "answer_changed" && one.is_new === true && one.weight >= 0.72 && one.isOther === "value",
  )
    ? explained
    : null;

/** That nothing can be reached where the test took the browser offline, as it does in passes, is as it is meant: the test was changed elsewhere. */
const offlineByTest: Rule = ({ kind, title }, { news, evidence: { run, passes } }) =>
  /^(?:request|script)_failed$/.test(kind) &&
  title.includes("ERR_INTERNET_DISCONNECTED") &&
  news.some(({ isOfTest, isOfNetwork }) => isOfTest && !isOfNetwork) &&
  [run, ...passes].every(({ facts }) => facts.steps.some((step) => GOES_OFFLINE.test(step.name)))
    ? lessBy(0.7)
    : null;

const GOES_OFFLINE = /(?:^|\.)setOffline$/i;

/** An address without its id came of the answer that has none by that name. */
const withoutId: Rule = ({ kind, title, is_new }, { news }) => {
  if (kind !== "request_failed" || is_new !== true || !WITHOUT_ID.test(title)) return null;
  const answer = news.find((one) => one.isIdRenamed);
  return answer ? all(because(answer), atLeast(0.95)) : null;
};

const WITHOUT_ID = /^\w+ \S*\/(?:undefined|null|NaN)(?=[/?\s])/;

/** A form that was refused, and that had been sent without the field that has lost its name: recorders keep no form with a file in it. */
const withoutName: Rule = ({ kind, status, is_new, title }, { news }) => {
  if (kind !== "request_failed" || is_new !== true || (status !== 400 && status !== 422)) return null;
  const lost = news.find((one) => one.lostName !== undefined && one.is_new === true);
  return lost && !title.includes("which was sent with") ? all(because(lost), atLeast(0.96)) : null;
};

/** What came of another field or frame says more of it. */
const refusedMarkup: Rule = ({ about }, { isRefused }) =>
  isRefused && about?.startsWith("markup ") ? explained : null;

/** A page that broke lets go of its connections. */
const brokenConnections: Rule = ({ withoutCode, ts }, { thrown, evidence }) =>
  withoutCode !== undefined && thrown && (ts ?? evidence.failed.to) >= (thrown.ts ?? 0) - LET_GO_MS
    ? explained
    : null;

/** An error may be noted this long after a connection that ended for it. */
const LET_GO_MS = 1_000;

/** What a script cannot do with nothing, an answer said nothing of. */
const emptyAnswers: Rule = ({ kind, title, isNothing }, { thrown, isEmptyAnswer }) => {
  const isOfNothing = (text: string) => LACKS.test(text) || INVALID_TIME.test(text);
  if (!isEmptyAnswer || !thrown || !isOfNothing(thrown.title)) return null;
  if (kind === "page_error" || (kind === "console_error" && isOfNothing(title))) return explained;
  if (kind !== "answer_changed" || !isNothing) return null;
  const error = thrown.title.replace("The page", "the page").replace(/ at \S+(?: \(.*\))?$/, "");
  return all(atLeast(0.94), (told) => ({ ...told, title: `${told.title}; then ${error}` }));
};

/** A page that says in words what it threw, or that it could not read an answer, says it after them. */
const echoedErrors: Rule = ({ kind, about }, { news, thrown }) => {
  const said = kind === "page_message" && about?.startsWith("text ") ? about.slice(5) : "";
  if (said.length < SHORTEST_ECHO) return null;
  const isThrown = thrown?.title.includes(said.slice(0, 100)) === true;
  return isThrown || (UNREADABLE.test(said) && news.some(({ isUnreadable }) => isUnreadable))
    ? explained
    : null;
};

const SHORTEST_ECHO = 12;

/** What holds an element back was served with the page. */
const servedDisabled: Rule = ({ kind }, { isRemade, news }) => {
  if (kind !== "element_disabled") return null;
  const served = news.find(({ markup, is_new }) => is_new === true && markup === "disabled");
  return served ? all(because(served), atLeast(0.93)) : isRemade ? explained : null;
};

/** A field that holds its form back is told with the limit that it was served with. */
const servedLimit: Rule = ({ heldField, is_new }, { news }) => {
  if (!heldField || is_new !== true) return null;
  const served = news.find(
    ({ kind, title, is_new: isNews }) =>
      kind === "answer_changed" && isNews === true && title.includes(`name="${heldField}"`),
  );
  return served ? all(because(served), atLeast(0.95)) : null;
};

const STATES = /^element_(?!renamed|missing)/;

/** That a page names a script of another version says that there was a release; what held the step up, its own log says. */
const releasedScripts: Rule = ({ markup }, { news }) =>
  markup === "address" &&
  news.some((one) => STATES.test(one.kind) && one.is_new === true && one.weight >= 0.7)
    ? explained
    : null;

/** That a request failed the browser says of what it refused itself, and why in its own words. */
const refusedByBrowser: Rule = ({ kind, about, title }, { news }) =>
  kind === "request_failed" &&
  title.includes(" failed: ") &&
  news.some((one) => one.kind === "browser_policy" && one.about === about && one.weight >= 0.8)
    ? explained
    : null;

/** What befell requests is told with what the test changed about its routes and the network. */
const changedRoutes: Rule = ({ kind, is_new, weight }, { news }) => {
  if ((kind !== "request_pending" && kind !== "request_failed") || is_new !== true || weight < 0.7)
    return null;
  const change = news.find((one) => one.isOfNetwork);
  return change ? because(change) : null;
};

/** What a form holds back follows from what it was given. */
const heldBack: Rule = ({ kind }, { isGivenOtherwise }) =>
  isGivenOtherwise && kind === "element_disabled" ? explained : null;

/** The answer to another question is what an earlier answer made the page ask. */
const askedOtherwise: Rule = (finding, scene) =>
  (finding.isAskedOtherwise || finding.about?.startsWith("body ")) && isAfterAnswer(finding, scene)
    ? explained
    : null;

/** What another service worker than in the passes may have answered with is told with it. */
const answeredByWorker: Rule = ({ isCopy, is_new }, { news }) => {
  const worker = isCopy && is_new === true ? news.find((one) => one.isWorker) : undefined;
  // What came says more than that it was a copy.
  return worker
    ? all(because(worker), (told) => ({ ...told, weight: told.weight + (1 - told.weight) / 3 }))
    : null;
};

/** A rule that was written into a style sheet is told with what it does. */
const restyled: Rule = ({ kind, title, is_new }, scene) =>
  scene.restyled && is_new !== false && explainsBy(scene.restyled, kind) && !title.includes("style sheet")
    ? all(because(scene.restyled), atLeast(kind === "element_unstable" ? 0.96 : 0.9))
    : null;

/** Where an action by coordinates sent nothing, another element lay under the pointer: such an action asks for none. */
const hitAnother: Rule = ({ kind, is_new, title, events }, { news, isExplained, evidence: { run } }) => {
  if (kind !== "request_unsent" || is_new !== true || isExplained || title.includes("; ")) return null;
  const action = run.facts.steps.find(({ seq }) => seq === events[0]);
  if (!action || !BY_COORDINATES.test(action.name)) return null;
  const sheet = news.find((one) => isStyleSheet(one) && movesPointer(one));
  return sheet ? all(because(sheet), atLeast(0.9)) : null;
};

const BY_COORDINATES = /(?:^|\.)(?:mouse|touchscreen)\.?(?:up|down|click|dblclick|tap)$/i;

/** An error is told with the answer that was misread. */
const misread: Rule = (finding, scene) =>
  scene.misread && finding === scene.thrown ? because(scene.misread) : null;

const placed: Rule = (finding, scene) => (isPlaced(finding, scene) ? atLeast(0.84) : null);

/** What was typed into two fields is sent and comes back in parts. */
const tornApart: Rule = ({ kind, about, title }, { news }) => {
  if (kind !== "answer_changed" && !about?.startsWith("body ")) return null;
  const parts = news.flatMap((one) => one.parts ?? []);
  return parts.some((part) => title.includes(quoted(part, 40))) ? explained : null;
};

/** What a page lost when it was opened anew, the old copy of an answer had not yet. */
const lostToOldCopies: Rule = ({ about }, { news }) =>
  about?.startsWith("lost ") &&
  news.some(({ kind, is_new, weight }) => kind === "stale_answer" && is_new === true && weight >= 0.7)
    ? explained
    : null;

/** What stands there in the place of an element that the page lost when it was opened anew says less than that it was lost. */
const lostElements: Rule = ({ kind, is_new }, { news }) =>
  /^element_(?:missing|renamed)$/.test(kind) &&
  is_new === true &&
  news.some((one) => one.about?.startsWith("lost ") === true && one.is_new === true && one.weight >= 0.7)
    ? explained
    : null;

/** What a page had before the last answers came may not be what the step looked at. */
const oldPages: Rule = (finding, scene) =>
  scene.isPageOld &&
  (finding.kind === "element_renamed" || finding.kind === "page_changed") &&
  !isOwnCause(finding, scene)
    ? explained
    : null;

/** What only shows that something went wrong. */
const SYMPTOMS = new Set<CauseKind>(["element_renamed", "element_missing", "page_changed", "assertion"]);

/** What was typed and did not arrive where it was meant to go is no symptom of what came later. */
const isLostBefore = ({ about, ts }: Finding, { news }: Scene): boolean =>
  about?.startsWith("torn ") === true &&
  !news.some((one) => CAUSES.has(one.kind) && one.isOwn !== false && (one.ts ?? 0) <= (ts ?? 0));

/** A missing element is what a failed request left out; a field that its form could not send is why that was refused, and what stands there by another name was left out by none. */
const symptoms: Rule = (finding, scene) =>
  SYMPTOMS.has(finding.kind) &&
  !/^(?:nameless|picked|anew|scope) /.test(finding.about ?? "") &&
  !isMalformed(finding) &&
  !isLostBefore(finding, scene) &&
  (scene.isExplained || (scene.isSwitched && !isOwnCause(finding, scene)))
    ? explained
    : null;

/** An answer that another one overtook, or that came before both, says what it was asked; that the page shows it, the order of the answers made. */
const overtaken: Rule = ({ kind, shown, about, events, ts, title }, { news }) =>
  kind === "answer_changed" &&
  news.some(
    (one) =>
      one.kind === "out_of_order" &&
      one.weight >= 0.7 &&
      ((one.about === `order ${about}` &&
        (shown !== undefined ||
          one.events[0] === events[0] ||
          (one.is_new === true && ts !== null && ts < (one.ts ?? 0)))) ||
        (one.is_new === true && isAskedThere(title, one.title))),
  )
    ? lessBy(0.8)
    : null;

/** Whether two sentences are of requests to one path, whatever these ask there: what is typed is asked for letter by letter. */
const isAskedThere = (one: string, other: string): boolean => {
  const [mine, theirs] = [one, other].map((title) => /\bGET ([^\s?]+)\?/.exec(title)?.[1]);
  return mine !== undefined && mine === theirs;
};

/** A page that says that there is none where the browser was led says it of the address. */
const lostPage: Rule = (finding, { news }) => {
  const isSaying = ({ kind, title, is_new }: Finding) =>
    kind === "page_message" && is_new === true && NO_SUCH_PAGE.test(title);
  const isLed = ({ kind, is_new }: Finding) => kind === "redirected" && is_new === true;
  if (isLed(finding)) return news.some(isSaying) ? atLeast(0.85) : null;
  return isSaying(finding) && news.some(isLed) ? explained : null;
};

/** In the order in which they are applied. */
export const RULES: readonly Rule[] = [
  lostScripts,
  ...CLOCKS,
  thrownByTests,
  sentOn,
  emptyBySignIn,
  signedOut,
  untokened,
  otherTerms,
  hiddenByAnswer,
  offlineByTest,
  withoutId,
  withoutName,
  answersToRepeated,
  refusedMarkup,
  brokenConnections,
  emptyAnswers,
  echoedErrors,
  servedDisabled,
  servedLimit,
  askedOtherwise,
  releasedScripts,
  refusedByBrowser,
  changedRoutes,
  overtaken,
  heldBack,
  ...WRITES,
  stoppedByTest,
  ...WRITTEN_OTHERWISE,
  ...ORDERS,
  ...DEEDS,
  ...SENT,
  ...REFUSED_FOR,
  ...BY_SCRIPT,
  ...OTHER_ORIGIN,
  ...INSTEAD,
  ...FOR_WANT_OF,
  answeredByWorker,
  restyled,
  hitAnother,
  misread,
  placed,
  lostPage,
  ...ACTED,
  gaveNothing,
  ...DRAWN,
  ...REPLACED,
  lostToOldCopies,
  lostElements,
  tornApart,
  oldPages,
  symptoms,
  ...TOLD_WITH,
  enteredElsewhere,
  sentWithoutEntered,
  ...SENT_LAST,
  ...ALONE_RULES,
  ofRefusal,
];
