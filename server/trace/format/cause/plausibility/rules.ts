import type { CauseKind, Finding } from "../types.ts";
import { isEchoOf, type Scene } from "./scene.ts";
import { explainsBy } from "./styles.ts";
import {
  ANSWERED_NOTHING,
  ASKED_OTHERWISE,
  BESIDE,
  CLOSED,
  GAVE_OTHERWISE,
  LACKS,
  SIGN_IN,
  WAITS_BY_DESIGN,
} from "./words.ts";

/** What a rule makes of a finding, as the rules before it left it. */
export type Change = (told: Finding) => Finding;

/** Looks at one finding beside all others. @returns null where it has nothing to say of it */
export type Rule = (finding: Finding, scene: Scene) => Change | null;

/** Something else explains it. */
const explained: Change = (told) => ({ ...told, weight: told.weight * 0.85 });

const lessBy =
  (factor: number): Change =>
  (told) => ({ ...told, weight: told.weight * factor });

const atLeast =
  (weight: number): Change =>
  (told) => ({ ...told, weight: Math.max(told.weight, weight) });

/** It is told together with what it came of. */
const because =
  (cause: Finding): Change =>
  (told) => ({
    ...told,
    title: `${told.title}; ${cause.title.replace(/^The /, "the ")}`,
    events: [...told.events, ...cause.events],
  });

const all =
  (...changes: Change[]): Change =>
  (told) =>
    changes.reduce((one, change) => change(one), told);

/** What a script that did not load leaves undefined is its echo. */
const lostScripts: Rule = (finding, { lostScript, isLostScriptMissed }) => {
  if (!lostScript) return null;
  if (finding === lostScript) return isLostScriptMissed ? atLeast(0.95) : null;
  return isEchoOf(finding, lostScript) ? explained : null;
};

/** The clock is guessed from two texts; an answer with another time is seen. */
const guessedClocks: Rule = ({ kind, title }, { isAnswered }) =>
  isAnswered && kind === "time" && title.startsWith("Another") ? explained : null;

/** What a helper says it has not found is what an answer left out; what it throws is an assertion by other means. */
const thrownByTests: Rule = ({ kind }, { isEmptied, isSaid }) =>
  (isEmptied || isSaid) && kind === "test_code" ? explained : null;

/** Where a form sends a person on, it says why. */
const sentOn: Rule = ({ kind, title }, { isTold }) =>
  isTold && kind === "redirected" && !SIGN_IN.test(title) ? explained : null;

/** What came of another field or frame says more of it. */
const refusedMarkup: Rule = ({ about }, { isRefused }) =>
  isRefused && about?.startsWith("markup ") ? explained : null;

/** A page that broke lets go of its connections. */
const brokenConnections: Rule = ({ kind, title, ts }, { thrown, isEmptyAnswer, evidence }) => {
  if (kind !== "websocket_closed" || !thrown || !CLOSED.test(title)) return null;
  const soonest = (thrown.ts ?? 0) - (isEmptyAnswer ? 5_000 : 1_000);
  return (ts ?? evidence.failed.to) >= soonest ? explained : null;
};

/** What a script cannot do with nothing, an answer said nothing of. */
const emptyAnswers: Rule = ({ kind, title }, { thrown, isEmptyAnswer }) => {
  if (!isEmptyAnswer || !thrown || !LACKS.test(thrown.title)) return null;
  if (kind === "page_error" || (kind === "console_error" && LACKS.test(title))) return explained;
  if (kind !== "answer_changed" || !ANSWERED_NOTHING.test(title)) return null;
  const error = thrown.title.replace("The page", "the page").replace(/ at \S+(?: \(.*\))?$/, "");
  return all(atLeast(0.94), (told) => ({ ...told, title: `${told.title}; then ${error}` }));
};

/** What holds an element back was served with the page. */
const servedDisabled: Rule = ({ kind }, { isRemade }) =>
  isRemade && kind === "element_disabled" ? explained : null;

/** What a form holds back follows from what it was given. */
const heldBack: Rule = ({ kind }, { isGivenOtherwise }) =>
  isGivenOtherwise && kind === "element_disabled" ? explained : null;

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
  return dialog ? all(because(dialog), atLeast(0.9)) : null;
};

/** What the page sends of what the test gave it is what the test gave. */
const sentAsGiven: Rule = ({ about }, { isGivenOtherwise }) =>
  isGivenOtherwise && about?.startsWith("sent ") ? lessBy(0.8) : null;

/** What a write that was refused would have changed stays as it was, for whoever reads it later. */
const unsaved: Rule = (finding, { news }) =>
  (finding.kind === "answer_changed" || finding.kind === "stale_answer") &&
  READ.test(finding.title) &&
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

const READ = /^GET /;
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

/** The answer to another question is what an earlier answer made the page ask. */
const askedOtherwise: Rule = ({ kind, title, ts, about }, { news }) =>
  ((kind === "answer_changed" && ASKED_OTHERWISE.test(title)) || about?.startsWith("sent ")) &&
  news.some(
    (one) =>
      one.kind === "answer_changed" &&
      one.weight >= 0.8 &&
      !ASKED_OTHERWISE.test(one.title) &&
      one.ts !== null &&
      one.ts < (ts ?? 0),
  )
    ? explained
    : null;

/** A rule that was written into a style sheet is told with what it does. */
const restyled: Rule = ({ kind, title, is_new }, scene) =>
  scene.restyled && is_new !== false && explainsBy(scene.restyled, kind) && !title.includes("style sheet")
    ? all(because(scene.restyled), atLeast(0.9))
    : null;

/** An error is told with the answer that was misread. */
const misread: Rule = (finding, scene) =>
  scene.misread && finding === scene.thrown ? because(scene.misread) : null;

/** What stands in the place of an element by its form alone came there by an answer that says it; without one it says most itself. */
const isPlaced = ({ about }: Finding, { news }: Scene): boolean =>
  about?.startsWith("place ") === true &&
  !news.some((one) => one.kind === "answer_changed" && one.title.includes(about.slice(6)));

const placed: Rule = (finding, scene) => (isPlaced(finding, scene) ? atLeast(0.84) : null);

/** Whether it is no symptom of an answer: an element in another's place, an action without effect, what a reload lost or the page sent. */
const isOwnCause = (finding: Finding, scene: Scene): boolean =>
  /^(?:idle|lost|sent) /.test(finding.about ?? "") || isPlaced(finding, scene);

/** What a page had before the last answers came may not be what the step looked at. */
const oldPages: Rule = (finding, scene) =>
  scene.isPageOld &&
  (finding.kind === "element_renamed" || finding.kind === "page_changed") &&
  !isOwnCause(finding, scene)
    ? explained
    : null;

/** What only shows that something went wrong. */
const SYMPTOMS = new Set<CauseKind>(["element_renamed", "element_missing", "page_changed", "assertion"]);

/** A missing element is what a failed request left out. */
const symptoms: Rule = (finding, scene) =>
  SYMPTOMS.has(finding.kind) && (scene.isExplained || (scene.isSwitched && !isOwnCause(finding, scene)))
    ? explained
    : null;

const UNCERTAIN = new Set<CauseKind>([
  "request_failed",
  "request_pending",
  "console_error",
  "page_error",
  "script_failed",
]);

/**
 * Without a pass, what happened before an action that went well, or time and again, has most likely nothing to do with the
 * failure; nor has what products do beside what they are for.
 */
const unlikely: Rule = ({ kind, title, ts, is_new }, { earlier, settled }) => {
  if (is_new !== null || !UNCERTAIN.has(kind)) return null;
  const isBefore = ts !== null && settled !== null && ts < settled - 100;
  return all(
    ...(earlier.has(title) || isBefore ? [lessBy(0.75)] : []),
    ...(BESIDE.test(title) ? [lessBy(0.6)] : []),
    ...(kind === "request_pending" && WAITS_BY_DESIGN.test(title) ? [lessBy(0.45)] : []),
  );
};

/** In the order in which they are applied. */
export const RULES: readonly Rule[] = [
  lostScripts,
  guessedClocks,
  thrownByTests,
  sentOn,
  refusedMarkup,
  brokenConnections,
  emptyAnswers,
  servedDisabled,
  askedOtherwise,
  heldBack,
  alerted,
  objected,
  sentAsGiven,
  unsaved,
  restyled,
  misread,
  placed,
  oldPages,
  symptoms,
  unlikely,
];
