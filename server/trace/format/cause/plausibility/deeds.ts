import { isWrite } from "../exchanges/sent.ts";
import type { CauseKind, Finding } from "../types.ts";
import { quoted, SIGN_IN } from "../words.ts";
import { isBehind, isOfOneThing, isOfRead, isReadOf, WRITE } from "./one-thing.ts";
import { all, atLeast, because, explained, lessBy, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

/** What tells of the client and not of what a person did: another release sends it otherwise. */
export const OF_CLIENT =
  /was sent with(?:out)? the field \S*(?:version|client|build|release|locale|lang|zone|device|agent)/i;

/** What a page's script did otherwise: what it did not send, or sent otherwise, or an action that did nothing. */
const isDeed = ({ kind, about, title, is_new, weight }: Finding): boolean =>
  is_new === true &&
  weight >= 0.5 &&
  (kind === "request_unsent" || /^(?:body|idle) /.test(about ?? "")) &&
  !OF_CLIENT.test(title);

const isRewritten = ({ markup, is_new, weight }: Finding): boolean =>
  is_new === true && weight >= 0.8 && markup === "code";

const REFUSALS = new Set<CauseKind>(["request_failed", "request_pending", "browser_policy", "script_failed"]);

/** What was refused, or not answered, may have kept the page from anything that came after it. */
export const isRefusedBefore = (deed: Finding, { news }: Scene): boolean =>
  news.some(
    (one) =>
      REFUSALS.has(one.kind) &&
      one.is_new === true &&
      one.isOwn !== false &&
      one.weight >= 0.8 &&
      (one.ts ?? 0) <= (deed.ts ?? 0) + REFUSED_WITHIN_MS,
  );

/** A deed is dated by the action that it is missed after. */
const REFUSED_WITHIN_MS = 2_000;

/** An error of the page that no answer explains. */
const isThrown = (finding: Finding, { thrown, misread, isEmptyAnswer }: Scene): boolean =>
  finding === thrown && finding.is_new === true && !misread && !isEmptyAnswer;

/** The first that a changed script did otherwise: what it threw, then what it did not write or wrote otherwise, then what it did not ask for. */
function firstDeed(script: Finding, scene: Scene): Finding | undefined {
  const order = (one: Finding) => (isThrown(one, scene) ? 0 : one.title.startsWith("GET ") ? 2 : 1);
  return scene.news
    .filter(
      (one) => (isDeed(one) || isThrown(one, scene)) && isBehind(script, one) && !isRefusedBefore(one, scene),
    )
    .toSorted((a, b) => order(a) - order(b) || (a.ts ?? 0) - (b.ts ?? 0))[0];
}

/** What a script does otherwise is told with what changed in it, and before that: a person sees what it did. */
const rewritten: Rule = (finding, scene) => {
  if (!isRewritten(finding) && !isDeed(finding) && finding !== scene.thrown) return null;
  const script = scene.news.find(isRewritten);
  const deed = script && firstDeed(script, scene);
  if (!deed) return null;
  return finding === deed ? all(because(script), atLeast(0.96)) : isRewritten(finding) ? explained : null;
};

const READ_WITHIN_MS = 2_000;

/** Whether an answer was read right after the page had sent something otherwise. */
const isReadAfter = (sent: Finding, read: Finding): boolean =>
  isDeed(sent) &&
  sent.about?.startsWith("body ") === true &&
  isOfRead(read) &&
  isBehind(sent, read) &&
  (read.ts ?? 0) - (sent.ts ?? 0) <= READ_WITHIN_MS;

/** What a changed script has a page send otherwise comes back in what is read right afterwards. */
const readAfter: Rule = (finding, { news }) => {
  if (!isDeed(finding) && !isOfRead(finding)) return null;
  const isScript = ({ file, markup, is_new }: Finding) =>
    is_new === true && (file === "script" || markup === "code");
  if (!news.some(isScript)) return null;
  if (news.some((read) => isReadAfter(finding, read))) return atLeast(0.94);
  return news.some((sent) => isReadAfter(sent, finding)) ? explained : null;
};

/** What was sent otherwise, though the answer went well, is what is read afterwards. */
const readAsSent: Rule = (finding, { news }) => {
  if ((finding.said?.length ?? 0) <= 1) return null;
  const isSame = (sent: Finding, read: Finding) =>
    sent.said === read.said &&
    isDeed(sent) &&
    sent.about?.startsWith("body ") === true &&
    isOfRead(read) &&
    isBehind(sent, read);
  if (news.some((read) => isSame(finding, read))) return atLeast(0.95);
  return news.some((sent) => isSame(sent, finding)) ? explained : null;
};

/** What was not kept, or was another thing, is what a later answer has of before. */
const unkeptForWantOf: Rule = (finding, scene) => {
  const isLost = finding.kind === "request_unsent" || finding.isToAnother;
  if (!isLost || !WRITE.test(finding.title)) return null;
  if (isRefusedBefore(finding, scene)) return null;
  const isShown = scene.news.some(
    (one) => isOfRead(one) && one.weight >= 0.6 && isBehind(finding, one) && isReadOf(one, finding),
  );
  return isShown ? atLeast(0.95) : null;
};

/** Whether the answer to a later write lacks a value that the last pass had sent with a write. */
const isForWantOf = (answer: Finding, unsent: Finding): boolean => {
  const { kind, is_new, weight, place, title, isAskedOtherwise } = answer;
  if (unsent.kind !== "request_unsent" || unsent.is_new !== true || isAskedOtherwise) return false;
  const lacked = unsent.lacked?.get(place?.slice(place.lastIndexOf("/") + 1) ?? "");
  return (
    lacked !== undefined &&
    kind === "answer_changed" &&
    is_new === true &&
    !isOfRead(answer) &&
    weight >= 0.6 &&
    isBehind(unsent, answer) &&
    title.includes(`where the last pass had ${quoted(lacked, 60)}`)
  );
};

/** What was never sent is what the answers to later writes lack. */
const lackedByAnswer: Rule = (finding, scene) => {
  if (finding.is_new !== true || (finding.lacked === undefined && finding.place === undefined)) return null;
  const answer = scene.news.find((one) => isForWantOf(one, finding));
  if (answer) return isRefusedBefore(finding, scene) ? null : all(because(answer), atLeast(0.97));
  const isLacked = scene.news.some((one) => isForWantOf(finding, one) && !isRefusedBefore(one, scene));
  return isLacked ? explained : null;
};

/** The answer to a request says again what was sent with it. */
const repeatedByAnswer: Rule = ({ kind, title }, { news }) =>
  kind === "answer_changed" &&
  news.some(
    ({ about, title: sent, weight }) =>
      about?.startsWith("body ") === true &&
      weight >= 0.9 &&
      title.startsWith(`${sent.split(" was sent ")[0]} answered “`),
  )
    ? explained
    : null;

/** Who pressed another button than in the passes at the sign-in, so that its form was not sent, is there still. */
const stillAtSignIn: Rule = ({ kind, title, sentAt }, { news }) =>
  kind === "redirected" &&
  SIGN_IN.test(title) &&
  news.some(
    (act) =>
      act.about?.startsWith("acted ") === true && act.is_new === true && (act.ts ?? 0) >= (sentAt ?? 0),
  ) &&
  news.some((one) => one.kind === "request_unsent" && one.is_new === true && WRITE.test(one.title))
    ? lessBy(0.7)
    : null;

/** What was sent once too often is there once too often. */
const listedAgain: Rule = (finding, { news }) =>
  finding.listsMore &&
  news.some(
    (one) =>
      one.kind === "request_repeated" &&
      one.is_new === true &&
      one.weight >= 0.8 &&
      isBehind(one, finding) &&
      (one.isTwice || isOfOneThing(one.title, finding.title)),
  )
    ? explained
    : null;

/** What a page sent twice where it is sent once stands there twice. */
const sentTwice: Rule = (finding, { news }) => {
  const isAmbiguous = ({ kind, is_new }: Finding) => kind === "element_ambiguous" && is_new === true;
  const isTwice = ({ kind, isTwice, isOfSetUp, title, is_new, weight }: Finding) =>
    kind === "request_repeated" &&
    is_new === true &&
    isTwice === true &&
    !isOfSetUp &&
    weight >= SURELY_SAME &&
    WRITE.test(title);
  if (isAmbiguous(finding))
    return news.some((one) => isTwice(one) && isBehind(one, finding)) ? lessBy(0.75) : null;
  return isTwice(finding) && news.some((one) => isAmbiguous(one) && isBehind(finding, one))
    ? atLeast(0.97)
    : null;
};

/** From here on what was sent twice was the same both times. */
const SURELY_SAME = 0.9;

/** What stands there twice the test itself made twice. */
const madeAgain: Rule = ({ kind, is_new }, { news }) => {
  if (kind !== "element_ambiguous" || is_new !== true) return null;
  const again = news.find((one) => one.kind === "request_repeated" && one.isOfSetUp && one.is_new === true);
  return again ? because(again) : null;
};

/** A form that was given back is explained by what it was sent with, or without, and by a field that lost its name. */
const returnedFor: Rule = ({ isReturned, events }, { news }) =>
  isReturned &&
  news.some(
    (one) =>
      one.is_new === true &&
      !one.isReturned &&
      (one.lostName !== undefined || (one.weight >= 0.75 && one.about === `body ${events[0]}`)),
  )
    ? explained
    : null;

/** A write that succeeded otherwise than it ever does left behind what is read of it. */
const succeededOtherwise: Rule = (finding, { news, evidence: { run } }) => {
  if (!finding.isOtherSuccess || finding.is_new !== true) return null;
  const one = run.facts.exchanges.find(({ seq }) => seq === finding.events[0]);
  if (one === undefined || !isWrite(one, run)) return null;
  const isRead = news.some(
    (read) =>
      isOfRead(read) &&
      read.is_new === true &&
      read.weight >= 0.6 &&
      (read.ts ?? 0) >= one.ts &&
      !read.isOfTime,
  );
  if (!isRead) return null;
  const said = news.find(
    (other) => other !== finding && other.events[0] === one.seq && other.is_new === true,
  );
  return all(...(said ? [because(said)] : []), atLeast(0.97));
};

/** What came otherwise to who was not known as usual came so for that. */
const unaccompanied: Rule = ({ isUnaccompanied, about }, { news }) =>
  isUnaccompanied &&
  news.some(
    (one) => one.kind === "answer_changed" && one.is_new === true && one.about === about && one.weight >= 0.8,
  )
    ? atLeast(0.95)
    : null;

/** What is answered to another question the question explains. */
const askedAnother: Rule = ({ kind, events }, { news }) =>
  kind === "answer_changed" && news.some((one) => one.isOtherQuestion && one.events.includes(events[0]!))
    ? explained
    : null;

/** What an action brought about otherwise is told with the attribute that its element came with. */
const servedSo: Rule = ({ kind, is_new, weight, ts }, { news }) => {
  if (!OF_ELEMENTS.has(kind) || is_new !== true || weight < 0.7) return null;
  const served = news.find((one) => one.isOfElement === true && (one.ts ?? 0) <= (ts ?? 0));
  return served ? all(because(served), atLeast(0.95)) : null;
};

const OF_ELEMENTS = new Set<CauseKind>(["request_repeated", "dialog", "download", "popup"]);

/** A page holds back, or leaves out, what it is told to: by the one answer before that says something else than in all passes. */
const heldBackByAnswer: Rule = (finding, { news, evidence }) => {
  const { kind, title, is_new } = finding;
  const isHeldBack = LACKING.has(kind) || finding.isMoved || (kind === "request_unsent" && WRITE.test(title));
  // What stands there by other attributes is not held back.
  if (!isHeldBack || finding.hasLostRole || is_new !== true || evidence.passes.length < 2) return null;
  const answers = news.filter(
    (one) =>
      one.kind === "answer_changed" &&
      one.is_new === true &&
      one.weight >= TELLING &&
      !one.isOfTime &&
      one.isOther !== undefined &&
      isBehind(one, finding),
  );
  // What is asked for on each page is answered so each time.
  const isOne = answers.length > 0 && answers.every((one) => one.title === answers[0]!.title);
  return isOne && !news.some(isRewritten) ? because(answers[0]!) : null;
};

/** Below it an answer names another release, or nothing that the test or the page shows. */
const TELLING = 0.45;

const LACKING = new Set<CauseKind>(["element_disabled", "element_missing", "element_renamed"]);

/** What is nowhere on the page stands on the one that it never went to, where nothing else is known that kept it. */
const notGone: Rule = ({ kind, is_new }, { news }) => {
  if (!/^element_(?:missing|renamed)$/.test(kind) || is_new !== true) return null;
  const isOther = news.some(
    (one) => one.is_new === true && one.weight >= TELLING && one.kind !== kind && one.kind !== "redirected",
  );
  const still = isOther ? undefined : news.find((one) => one.isStill);
  return still ? all(because(still), atLeast(0.62)) : null;
};

/** What is nowhere on the page a script left out, where one changed and nothing else is known. */
const leftOut: Rule = ({ kind, is_new, title }, { news }) => {
  if (kind !== "element_missing" || is_new !== true) return null;
  const scripts = news.filter((one) => one.file === "script" && one.is_new === true);
  const isOther = news.some(
    (one) =>
      one.is_new === true &&
      one.weight > UNTOLD &&
      one.kind !== kind &&
      one.kind !== "assertion" &&
      !scripts.includes(one) &&
      !one.isStill,
  );
  if (scripts.length === 0 || isOther) return null;
  return (told) => (told.title === title ? because(scripts[0]!)(told) : told);
};

/** What the page was served without no action before had to bring. */
const servedWithout: Rule = (finding, { news }) =>
  finding.about?.startsWith("idle ") &&
  finding.is_new === true &&
  news.some((one) => one.isWithoutTarget && one.is_new === true && isBehind(one, finding))
    ? lessBy(0.6)
    : null;

/** What was never sent, or never came. */
const isWithheld = ({ kind, title }: Finding): boolean =>
  kind === "request_unsent" || (kind === "request_pending" && title.includes("never came"));

/** The best of what was never sent, or never came, is told with the page's own line that it left something out of account meanwhile. */
const leftAside: Rule = (finding, { news, settled }) => {
  if (!isWithheld(finding)) return null;
  const best = news.filter(isWithheld).reduce<Finding | null>(heavier, null);
  if (finding !== best) return null;
  const line = news.find(
    (one) =>
      one.kind === "console_error" &&
      one.is_new === finding.is_new &&
      one.isOwn !== false &&
      LEFT_ASIDE.test(one.title) &&
      !COUNTS.test(one.title) &&
      (one.ts ?? 0) >= (settled ?? 0),
  );
  return line ? all(because(line), atLeast(0.8)) : null;
};

/** What an action would have asked for is told with the error that the page logged in its stead. */
const complainedOf: Rule = ({ kind, is_new, weight, title }, { news, settled, thrown }) => {
  if (kind !== "request_unsent" || is_new !== true || weight < SURELY_ASKED || WRITE.test(title)) return null;
  // A script that throws asks for nothing; of an error that comes at each action the first time is told.
  if (thrown?.is_new === true) return lessBy(0.85);
  const line = news.find(
    (one) =>
      one.kind === "console_error" &&
      one.is_new === true &&
      one.isOwn !== false &&
      one.weight >= 0.6 &&
      one.title.startsWith("The page logged the error") &&
      (one.ts ?? 0) >= (settled ?? 0),
  );
  return line ? because(line) : null;
};

/** From here on an action is one that asks. */
const SURELY_ASKED = 0.85;

const heavier = (best: Finding | null, one: Finding): Finding =>
  best === null || one.weight > best.weight ? one : best;

const LEFT_ASIDE =
  /^The page logged the (?:warning|error): .*\b(?:ignor|discard|dropp|reject|skipp|refus)(?:e|ed|es|ing|s)?\b/i;

/** What only counts and watches holds no product up. */
const COUNTS = /\b(?:telemetry|analytics|metrics|tracking|instrumentation)\b/i;

/** Up to it an answer says otherwise what neither the test nor the page shows. */
const UNTOLD = 0.61;

/** Rules of what a page's script did otherwise, and of what that came of. */
export const DEEDS: readonly Rule[] = [
  rewritten,
  readAfter,
  readAsSent,
  unkeptForWantOf,
  lackedByAnswer,
  repeatedByAnswer,
  stillAtSignIn,
  listedAgain,
  sentTwice,
  madeAgain,
  returnedFor,
  succeededOtherwise,
  unaccompanied,
  askedAnother,
  servedSo,
  heldBackByAnswer,
  servedWithout,
  leftAside,
  complainedOf,
  notGone,
  leftOut,
];
