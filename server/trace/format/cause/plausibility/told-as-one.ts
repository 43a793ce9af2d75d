import { LOOKED_AT } from "../detectors/elements/columns.ts";
import { actionBefore } from "../run/select.ts";
import type { Finding } from "../types.ts";
import { pathOf, SIGN_IN } from "../words.ts";
import { isBehind, WRITE } from "./one-thing.ts";
import { all, atLeast, because, explained, lessBy, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";
import { stayedOpen } from "./stayed-open.ts";
import { OF_DEED } from "./words.ts";

/** The field that the page marked as invalid in no pass: the first on the page. */
const markedIn = ({ news }: Scene): Finding | undefined =>
  news.find(({ isMarked, is_new }) => isMarked && is_new === true);

/** Whether a write was to go out by the last action, and did not. */
function isUnsentNow({ kind, title, is_new, events }: Finding, { evidence }: Scene): boolean {
  if (kind !== "request_unsent" || is_new !== true || !WRITE.test(title)) return false;
  return actionBefore(evidence.run.facts, evidence.failed)?.seq === events[0];
}

/** A form whose field the page marks as invalid is never sent: that is one thing, of which the field says why. */
const heldByMark: Rule = (finding, scene) => {
  const isAfterwards = finding.kind === "request_unsent";
  if (!finding.isMarked && !isAfterwards) return null;
  const mark = markedIn(scene);
  const unsent = mark && scene.news.find((one) => isUnsentNow(one, scene));
  if (!unsent) return null;
  if (finding === mark) return all(because(unsent), atLeast(0.92));
  return isAfterwards ? explained : null;
};

/** What a page counts it counts without what the last action was to send, where nothing else is known to have kept it from that. */
const countedWithout: Rule = (finding, scene) => {
  if (scene.isExplained || scene.isAnswered || scene.thrown) return null;
  const isCount = ({ isOtherFigure, is_new }: Finding) => isOtherFigure === true && is_new === true;
  if (isCount(finding)) return scene.news.some((one) => isUnsentNow(one, scene)) ? explained : null;
  return isUnsentNow(finding, scene) && scene.news.some(isCount) ? atLeast(0.9) : null;
};

/** A request that was never sent is told with the element that names its address, where that was served otherwise: by its attributes scripts send it. */
const unsentByMarkup: Rule = (finding, { news }) => {
  const isUnsent = ({ kind, is_new }: Finding) => kind === "request_unsent" && is_new === true;
  const isSender = (markup: Finding, unsent: Finding) => {
    const address = /^[A-Z]+ (\/[^?#\s]+)/.exec(unsent.title)?.[1];
    return (
      address !== undefined &&
      markup.is_new === true &&
      markup.about?.startsWith("markup ") === true &&
      isBehind(markup, unsent) &&
      SENT_TO.some((end) => `${markup.tag}\n${markup.detail}`.includes(`="${address}${end}`))
    );
  };
  if (isUnsent(finding)) return news.some((one) => isSender(one, finding)) ? explained : null;
  if (!finding.about?.startsWith("markup ")) return null;
  const unsent = news.find((one) => isUnsent(one) && isSender(finding, one));
  return unsent ? all(because(unsent), atLeast(0.94)) : null;
};

/** What may stand behind a path in an attribute. */
const SENT_TO = ['"', "?"];

/** Whether a finding is of what came with the answer that opened a stream: a header that is missing, or another one. */
const isOfOpening = ({ kind, is_new, events }: Finding, stream: Finding): boolean =>
  kind === "answer_changed" && is_new === true && events[0] === stream.events[0];

/** A dialog that no pass opens asks first what is sent in the passes: the write that never went out is told with it. */
const askedFirst: Rule = (finding, scene) => {
  const isAsking = ({ isDialog, is_new }: Finding) => isDialog === true && is_new === true;
  if (isUnsentNow(finding, scene)) return scene.news.some(isAsking) ? explained : null;
  if (!isAsking(finding)) return null;
  const unsent = scene.news.find((one) => isUnsentNow(one, scene));
  return unsent ? all(because(unsent), atLeast(0.93)) : null;
};

/** A stream that brings nothing is told with what was otherwise where it was opened. */
const silentStream: Rule = (finding, { news }) => {
  if (finding.isSilent) {
    const opening = news.find((one) => isOfOpening(one, finding));
    return opening ? all(because(opening), atLeast(0.93)) : null;
  }
  if (finding.kind !== "answer_changed" && !finding.about?.startsWith("untold ")) return null;
  const isOfSilent = (stream: Finding) =>
    isOfOpening(finding, stream) || finding.about === stream.about?.replace("silent", "untold");
  return news.some((one) => one.isSilent && isOfSilent(one)) ? explained : null;
};

/** What a page has otherwise where it has a thing as it was before a write, it has for that. */
const unstoredRow: Rule = ({ kind, events, isUnstored, otherTime }, { news }) =>
  !isUnstored &&
  (kind === "answer_changed" || otherTime !== undefined) &&
  news.some((one) => one.isUnstored && (otherTime !== undefined || one.events[0] === events[0]))
    ? explained
    : null;

/** Whether the test began to wait for something when it had happened. */
const isTooLate = ({ kind, about, title, is_new }: Finding): boolean =>
  kind === "test_code" &&
  is_new === true &&
  about?.startsWith("waited ") === true &&
  title.includes("before it began to wait");

/** That a test waits for what had come already says more than that it was changed there, and is told with it. */
const waitedTooLate: Rule = (finding, { news }) => {
  if (finding.isOfTest) return news.some(isTooLate) ? explained : null;
  if (!isTooLate(finding)) return null;
  const change = news.find(({ isOfTest }) => isOfTest);
  return change ? because(change) : null;
};

/** What was sent and came back of a field that was set back while it was typed into. */
const setBack: Rule = ({ kind, about, isAskedOtherwise }, { news }) =>
  (about?.startsWith("body ") || (kind === "answer_changed" && isAskedOtherwise)) &&
  news.some((one) => one.about?.startsWith("set back "))
    ? explained
    : null;

/** Who is sent to the sign-in from where the page stood was refused first: that says why, and is told with where the page went. */
const sentToSignIn: Rule = (finding, { news, evidence }) => {
  if (finding.kind !== "redirected" && !isRefusedNow(finding)) return null;
  const sent = news.find(
    ({ kind, is_new, title, sentAt }) =>
      kind === "redirected" && is_new === true && sentAt === undefined && SIGN_IN.test(title),
  );
  const refused = sent && news.find((one) => isRefusedNow(one) && (one.ts ?? 0) <= (sent.ts ?? 0));
  const stood = refused && evidence.run.facts.pages.findLast(({ ts }) => ts <= (refused.ts ?? 0));
  if (!sent || !refused || !stood || SIGN_IN.test(pathOf(stood.url))) return null;
  if (finding === sent) return explained;
  return finding === refused ? all(because(sent), atLeast(0.95)) : null;
};

const isRefusedNow = ({ kind, is_new, status }: Finding): boolean =>
  kind === "request_failed" && is_new === true && status === 401;

/** What the page shows elsewhere than the answer says it stands there for its column, where the step goes by the place of that. */
const inAnotherColumn: Rule = ({ about }, { news }) =>
  about?.startsWith("alike ") &&
  news.some((one) => one.about?.startsWith("columns ") && one.title.includes(LOOKED_AT))
    ? lessBy(0.7)
    : null;

/** That all but the script is as in the passes says less than what that script did otherwise, or did not send. */
const byScriptAlone: Rule = ({ about }, { news }) =>
  /^(?:alike|role) /.test(about ?? "") &&
  news.some(
    (one) =>
      one.is_new === true &&
      (OF_DEED.test(one.about ?? "") || (one.kind === "request_unsent" && one.weight >= SURELY_MISSED)),
  )
    ? lessBy(0.7)
    : null;

/** From here on what was not sent was to go out by the last action. */
const SURELY_MISSED = 0.6;

/** Where what names its target by an id names none, what it does lands elsewhere: an element is there twice, or nowhere. */
const landedElsewhere: Rule = ({ kind, is_new }, { news }) =>
  /^element_(?:ambiguous|missing|renamed)$/.test(kind) &&
  is_new === true &&
  news.some(({ refersToNothing }) => refersToNothing)
    ? explained
    : null;

/** Rules of what was found twice and is one thing. */
export const TOLD_AS_ONE: readonly Rule[] = [
  heldByMark,
  askedFirst,
  countedWithout,
  unsentByMarkup,
  silentStream,
  unstoredRow,
  waitedTooLate,
  setBack,
  sentToSignIn,
  inAnotherColumn,
  byScriptAlone,
  landedElsewhere,
  stayedOpen,
];
