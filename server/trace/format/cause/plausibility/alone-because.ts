import { contentTypeOf } from "../detectors/requests/sent-as.ts";
import { CHANGING } from "../exchanges/sent.ts";
import { targetOf } from "../page/target.ts";
import { lastPartOf, testIdOf, wantedBy } from "../page/wanted.ts";
import type { Step } from "../run/run-facts.ts";
import { actionBefore, GESTURES, lastOf } from "../run/select.ts";
import type { Evidence, Finding } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { addressOf, bodyOf, pathOf, quoted, quotedStep, requestOf, SIGN_IN } from "../words.ts";
import { all, atLeast, because, lessBy, type Rule, say } from "./rule.ts";
import type { Scene } from "./scene.ts";
import { BESIDE } from "./words.ts";

const isIdle = ({ about }: Finding): boolean => about?.startsWith("idle ") === true;

/** Without a pass, what a page threw before an action that it answered to did not keep it from answering to the next. */
const thrownBefore: Rule = ({ kind, is_new, ts }, { news, evidence: { run } }) => {
  const idle = kind === "page_error" && is_new === null && ts !== null ? news.find(isIdle) : undefined;
  if (idle?.ts == null) return null;
  const began = run.facts.steps.find(({ seq }) => seq === idle.events[0])?.ts ?? idle.ts;
  return run.facts.steps.some(
    (step) => GESTURES.test(step.name) && !step.isFailed && step.ts > ts! && step.end < began,
  )
    ? lessBy(0.8)
    : null;
};

/** Without a pass, a control that is not there is told with the state of the one thing that its page is of: in another one it may be offered. */
const inState: Rule = ({ kind, is_new }, { evidence }) => {
  if (kind !== "element_missing" || is_new !== null || !evidence.run.page) return null;
  const { role } = wantedBy(lastPartOf(targetOf(evidence)));
  if (role !== "button" && role !== "link") return null;
  const states = evidence.run.page.elements.flatMap(({ attributes, text, isHidden }) => {
    const id = testIdOf(attributes);
    return id !== null && STATE.test(id) && !isHidden && text !== "" && text.length <= LONGEST_STATE
      ? [{ id, text }]
      : [];
  });
  const [state] = states;
  return state && states.length === 1
    ? say(`its ${quoted(state.id, 40)} is ${quoted(state.text, 40)}`)
    : null;
};

const STATE = /(?:^|[-_])(?:status|state)$/i;
const LONGEST_STATE = 30;

/** Without a pass, what stands there twice that was sent twice. */
const sentTwice: Rule = ({ kind, is_new }, { news, settled }) => {
  if (kind !== "element_ambiguous" || is_new !== null) return null;
  const sent = news.find(
    (one) =>
      one.kind === "request_repeated" &&
      one.isTwice === true &&
      one.weight >= SURE &&
      WRITES.test(one.title) &&
      (one.ts ?? 0) >= (settled ?? 0) - 100,
  );
  return sent ? because(sent) : null;
};

const SURE = 0.6;
const WRITES = /^(?:POST|PUT) /;

/** Without a pass, a control that is disabled, or has not what is to be picked, waits for what could not be read. */
const unread: Rule = (finding, scene) => {
  const { kind, is_new, title } = finding;
  const isWithoutOption = kind === "element_missing" && title.includes("has no such option");
  // What is known of a disabled control beside that it is one says why.
  const isShutOff = kind === "element_disabled" && !title.includes("; ");
  if (is_new !== null || !(isWithoutOption || isShutOff)) return null;
  const lost = lostRead(finding, scene, isWithoutOption);
  return lost ? because(lost) : null;
};

/** The one read of the page's own data that failed: of an option whenever that was, for what is disabled since something was given to it. */
function lostRead({ ts }: Finding, { news, evidence: { run } }: Scene, isEver: boolean): Finding | null {
  const { steps, exchanges } = run.facts;
  const opened = steps.findLast((step) => OPENS.test(step.name) && step.ts < (ts ?? 0))?.ts ?? 0;
  const given = steps.find((step) => GESTURES.test(step.name) && step.ts > opened)?.ts;
  const from = isEver ? 0 : (given ?? Number.POSITIVE_INFINITY);
  const reads = news.filter(
    (one) =>
      one.kind === "request_failed" &&
      one.title.startsWith("GET ") &&
      one.isOwn !== false &&
      !BESIDE.test(one.title) &&
      (one.ts ?? 0) >= from &&
      exchanges.some(
        ({ seq, type, status }) =>
          seq === one.events[0] && /^(?:xhr|fetch)$/.test(type ?? "") && status !== 401,
      ),
  );
  const titles = new Set(reads.map(({ title }) => title));
  return titles.size === 1 ? reads.at(-1)! : null;
}

const OPENS = /(?:^|\.)(?:goto|reload)$/;

/** Without a pass, of two by one name the one that is to be seen is meant, whatever its role, and not the one that is folded away. */
const seenOtherwise: Rule = ({ kind, is_new }, { news }) =>
  kind === "element_hidden" && is_new === null && news.some((one) => one.hasLostRole && one.is_new === null)
    ? lessBy(0.8)
    : null;

/** Without a pass, what was refused, or held back by the browser, is told with what was written into a field that was not meant, or that took a part of it. */
const writtenAstray: Rule = ({ kind, is_new, title, status, about }, { news }) => {
  const isHeld = kind === "page_message" && about?.startsWith("refused ") === true;
  const isInvalid =
    kind === "request_failed" && /^(?:POST|PUT|PATCH) /.test(title) && (status === 400 || status === 422);
  if (is_new !== null || !(isHeld || isInvalid)) return null;
  const written = news.find(
    ({ astray, about: of }) => astray === "label" || of?.startsWith("maxlength ") === true,
  );
  return written ? because(written) : null;
};

/** Without a pass, an upload that was refused is told with the type that it was sent as. */
const sentAs: Rule = ({ kind, is_new, status, events, title }, { evidence: { run } }) => {
  if (kind !== "request_failed" || is_new !== null || status === undefined) return null;
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  const type = one && contentTypeOf(one);
  const given =
    one &&
    run.facts.steps.findLast(
      ({ ts, name }) => ts <= one.ts && (GESTURES.test(name) || GIVES_FILES.test(name)),
    );
  // A file is seldom sent within JSON.
  const isUpload = given !== undefined && GIVES_FILES.test(given.name) && type === "application/json";
  return type && !title.includes(type) && (status === 415 || (isUpload && UNREAD.has(status)))
    ? (told) => ({
        ...told,
        title: `${told.title.replace(/(?<!\.)\.$/, "")}; it was sent as ${quoted(type, 60)}`,
      })
    : null;
};

/** What servers answer that could not read what was sent. */
const UNREAD = new Set([400, 422, 500]);
const GIVES_FILES = /(?:^|\.)setInputFiles$/;

/** Without a pass, a page that says that it is not there, or has not what is looked for, is told with the action that led to it. */
const ledNowhere: Rule = ({ kind, is_new, title }, { evidence }) => {
  const { run, failed } = evidence;
  const isNowhere = kind === "page_message" && NOWHERE.test(title);
  if (is_new !== null || !run.page || !(isNowhere || kind === "element_missing")) return null;
  const { url, page } = run.page.shot;
  const action = actionBefore(run.facts, failed);
  if (!action || !PRESSES.test(action.name) || isOpenedSince(evidence, action)) return null;
  const from = run.facts.pages.findLast((shot) => shot.page === page && shot.ts <= action.ts)?.url;
  if (from === undefined || pathOf(from) === pathOf(url)) return null;
  const led = `${quotedStep(action)} had led to ${addressOf(url, run.facts)}`;
  return all((told) => ({ ...told, title: `${told.title}; ${led}` }), ...(isNowhere ? [atLeast(0.8)] : []));
};

/** Whether the test opened the page anew after an action: that led to where it is. */
const isOpenedSince = ({ run, failed }: Evidence, { seq, page }: Step): boolean =>
  run.facts.steps.some(
    (one) => OPENS.test(one.name) && one.seq > seq && one.page === page && one.ts < failed.from,
  );

const PRESSES = /(?:^|\.)(?:click|dblclick|tap|press)$/;
const NOWHERE = /\b(?:not found|no such page|(?:does not|doesn[’']t) exist|404)\b/i;

/** Without a pass, a control that the page does not offer is told with who signed in, where that is one of few rights. */
const offeredToOthers: Rule = ({ kind, is_new }, { evidence }) => {
  if (kind !== "element_missing" || is_new !== null || !CONTROL.test(lastPartOf(targetOf(evidence))))
    return null;
  const { run, failed } = evidence;
  const signedIn = lastOf(
    run.facts.exchanges,
    MOST_SIGN_INS,
    (one) =>
      CHANGING.has(one.method) && one.status === 200 && SIGN_IN.test(pathOf(one.url)) && one.ts < failed.from,
  ).at(-1);
  const leaves = signedIn ? leavesOf(jsonOf(bodyOf(signedIn, run.bodies) ?? "")) : [];
  const role = leaves.find(({ path, value }) => OF_ROLE.test(path) && FEW_RIGHTS.test(String(value)));
  return signedIn && role
    ? (told) => ({
        ...told,
        weight: Math.max(told.weight, HELD_BACK),
        title: `${told.title}; ${requestOf(signedIn, run.facts)} had signed in one with ${quoted(String(role.value), 30)} for ${quoted(role.path, 40)}, to whom the page may not offer it`,
        events: [...told.events, signedIn.seq],
      })
    : null;
};

const CONTROL = /^(?:page\.)?getByRole\(['"](?:link|button|menuitem|tab)['"]/;
const HELD_BACK = 0.6;
const MOST_SIGN_INS = 1;
const OF_ROLE = /(?:^|\.)(?:roles?(?:\.\d+)?|account_?type|user_?type)$/i;
const FEW_RIGHTS = /^(?:role_)?(?:customer|user|viewer|guest|member|reader|visitor|read[-_ ]?only)$/i;

/** What is told together with what it most likely came of, or apart from what it did not come of, where there is no pass to compare with. */
export const ALONE_BECAUSE: readonly Rule[] = [
  inState,
  thrownBefore,
  sentTwice,
  unread,
  seenOtherwise,
  writtenAstray,
  sentAs,
  ledNowhere,
  offeredToOthers,
];
