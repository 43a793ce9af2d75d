import type { StackFrame } from "../../event.ts";
import type { Summary } from "../../summary.ts";
import { isBefore } from "../compare.ts";
import type { Evidence, Failed } from "../types.ts";
import { isTracker } from "../words.ts";
import { isFailedExchange } from "./failed-exchange.ts";
import { exchangeKey } from "./keys.ts";
import type { Exchange, PageShot, RunFacts, Step } from "./run-facts.ts";
import { bareValues } from "./scenario-words.ts";

/** What failed, by the summary's choice; null when nothing did. */
export function failedOf(summary: Pick<Summary, "failure">, facts: RunFacts): Failed | null {
  const { failure } = summary;
  if (!failure) return null;
  const step =
    facts.steps.findLast(({ seq }) => seq === failure.seq) ??
    facts.steps.findLast(({ step_id }) => step_id !== null && step_id === failure.step_id) ??
    null;
  const failed: Failed = {
    step,
    title: failure.title,
    message: failure.message,
    expected: failure.expected ?? null,
    received: failure.received ?? null,
    stack: failure.stack ?? [],
    from: step?.ts ?? failure.ts ?? facts.lastTs,
    to: step?.end ?? failure.ts ?? facts.lastTs,
  };
  return { ...failed, ...bareValues(failed) };
}

/** The page that a step met: an assertion looks to its end, an action begins with what is there. */
const PHASES: Record<string, string[]> = {
  assertion: ["before", "action", "after"],
  "agent.action": ["after", "before", "action"],
};

/** The page as it stood when the step gave up; of several pages, the step's. */
export function failurePage({ pages }: RunFacts, { step, to }: Failed): PageShot | null {
  const page = step?.page ?? null;
  const upTo = pages.filter(({ ts, step_id }) => ts <= to + 1_000 || (step && step_id === step.step_id));
  const own = upTo.filter((shot) => page === null || shot.page === page);
  const ofStep = own.filter(({ step_id, phase }) => step && step_id === step.step_id && phase === "after");
  return ofStep.at(-1) ?? own.at(-1) ?? upTo.at(-1) ?? null;
}

const MOST_EARLIER = 5;

/** The page's pictures right before the failed step, oldest first: what stood there and is gone. */
export function earlierPages({ pages }: RunFacts, { from }: Failed, shot: PageShot): PageShot[] {
  const before = pages.filter(
    (one) => one.ts < from && one.page === shot.page && one.url === shot.url && one.seq !== shot.seq,
  );
  return before.slice(-MOST_EARLIER);
}

/** The last action before the failure that went well: a gesture, or of the names that are given. */
export function actionBefore({ steps }: RunFacts, { from }: Failed, names = GESTURES): Step | null {
  return (
    steps.findLast(
      ({ kind, category, isFailed, end, name }) =>
        kind === "agent.action" &&
        category !== "test.step" &&
        !isFailed &&
        end <= from + 5 &&
        names.test(name),
    ) ?? null
  );
}

/** `click`, or `page.click` as Playwright records it. */
export const GESTURES =
  /^(?:\w+\.)?(?:click|dblclick|tap|press|type|fill|check|uncheck|selectOption|drag|setInputFiles|submit|keyboard|mouse)/i;

/** Gestures, and what sends requests beside them. */
export const GESTURES_AND_OPENINGS = new RegExp(
  `${GESTURES.source}|(?:^|\\.)(?:goto|reload|clear|setChecked)$`,
  "i",
);

/** The page as that action met it; null where the failure's page is another document's, or the same picture. */
export function pageBefore(facts: RunFacts, failed: Failed, at: PageShot | null): PageShot | null {
  const action = actionBefore(facts, failed);
  if (!action || !at) return null;
  const own = facts.pages.filter(
    (shot) =>
      shot.seq < at.seq && shot.page === at.page && withoutFragment(shot.url) === withoutFragment(at.url),
  );
  const ofAction = own.filter(({ step_id }) => step_id !== null && step_id === action.step_id);
  return (
    // An action may wait for the page; its own picture is taken when it acts.
    ofAction.find(({ phase }) => phase === "action") ??
    ofAction.find(({ phase }) => phase === "before") ??
    own.findLast(({ ts }) => ts <= action.ts) ??
    null
  );
}

/** What a page goes to within itself is the same document. */
export const withoutFragment = (url: string) => url.replace(/#.*/s, "");

/** What a step is called across runs. */
export function stepKey(step: Step, { normaliser }: RunFacts): string {
  return `${step.kind} ${normaliser.text(step.title)}`;
}

/** The step of a pass that the failed one corresponds to: of the same name, and as often begun before. */
export function counterpart(run: RunFacts, step: Step, pass: RunFacts): Step | null {
  const key = stepKey(step, run);
  const nth = run.steps.filter((one) => one.seq < step.seq && stepKey(one, run) === key).length;
  const same = pass.steps.filter((one) => stepKey(one, pass) === key);
  return same[nth] ?? same.at(-1) ?? typedLike(run, step, pass);
}

const KEY_BY_KEY = /keyboard\.?(?:type|insertText)$|(?:^|\.)(?:type|pressSequentially)$/i;

/** What a pass typed in that turn, and into the same field where it names one: the text may be of the run's own things. */
function typedLike(run: RunFacts, step: Step, pass: RunFacts): Step | null {
  if (!KEY_BY_KEY.test(step.name)) return null;
  const isAlike = ({ name, params }: Step) => name === step.name && params.selector === step.params.selector;
  const [mine, theirs] = [run, pass].map(({ steps }) => steps.filter(isAlike));
  return theirs![mine!.findIndex(({ seq }) => seq === step.seq)] ?? null;
}

/**
 * When a pass was where this run gave up; null where it never was. What its action brought about comes after that: here
 * it is missing because of the failure.
 */
export function momentIn(pass: RunFacts, run: RunFacts, { step }: Failed): number | null {
  const same = step && counterpart(run, step, pass);
  if (!same || same.isFailed) return null;
  return same.kind === "agent.action" ? same.ts : same.end;
}

/** The page of a pass at the failed step's counterpart, when that was done; where no step failed, the last one. */
export function passPage(run: RunFacts, failed: Failed, pass: RunFacts): PageShot | null {
  if (!failed.step) return pass.pages.at(-1) ?? null;
  const step = counterpart(run, failed.step, pass);
  if (!step) return null;
  const rank = ({ phase }: PageShot) => PHASES[step.kind]?.indexOf(phase ?? "") ?? 0;
  const ofStep = pass.pages.filter(({ step_id }) => step_id !== null && step_id === step.step_id);
  const last = ofStep.toSorted((a, b) => rank(a) - rank(b));
  return last.at(-1) ?? pass.pages.findLast(({ ts }) => ts <= step.end + 1_000) ?? pass.pages.at(-1) ?? null;
}

/** The step that the test went on to, beside what this one is of itself, before this one was done; undefined where it waited. */
export function begunMeanwhile(
  call: Step,
  steps: readonly Step[],
  isOfIt: (one: Step) => boolean,
): Step | undefined {
  return steps.find(
    (one) =>
      one.parent === call.parent &&
      one.seq > call.seq &&
      one.ts < call.end &&
      one.stack.length > 0 &&
      !isOfIt(one),
  );
}

/** The last answers up to when the step gave up that are no errors, oldest first: trackers' are nobody's cause. */
export function answersBefore(
  evidence: Evidence,
  most: number,
  isWanted: (one: Exchange) => boolean = () => true,
): Exchange[] {
  return lastOf(
    evidence.run.facts.exchanges,
    most,
    (one) =>
      one.status !== null &&
      !isFailedExchange(one) &&
      isBefore(evidence, one.end ?? one.ts) &&
      isWanted(one) &&
      !isTracker(one.url),
  );
}

/** The last of those that are wanted, in their order. A run has thousands, so it is walked from its end. */
export function lastOf<One>(all: readonly One[], most: number, isWanted: (one: One) => boolean): One[] {
  const found: One[] = [];
  for (let at = all.length - 1; at >= 0 && found.length < most; at--)
    if (isWanted(all[at]!)) found.push(all[at]!);
  return found.reverse();
}

const MOST_BODIES = 60;
const TEXTUAL = /json|text|xml|html|graphql|urlencoded/;

/** Answers whose texts, or what was sent for them, a cause is looked for in: those nearest to the failure. */
export function wantedBodies(run: RunFacts, failed: Failed): Exchange[] {
  return lastOf(
    run.exchanges,
    MOST_BODIES,
    (one) => hasText(one) && isBefore({ failed } as Evidence, one.end ?? one.ts) && isTold(one),
  );
}

/** What is sent to be kept is often answered with nothing. */
const hasText = ({ body, requestBody, method }: Exchange) =>
  body !== null || (requestBody !== null && method !== "GET");

const MOST_CODE = 20;

/** Scripts and style sheets whose content is not that of the newest pass, to be compared with it. */
export function changedCode(run: RunFacts, pass: RunFacts): { run: Exchange[]; pass: Exchange[] } {
  const theirs = new Map(pass.exchanges.filter(hasCode).map((one) => [exchangeKey(one, pass), one]));
  const changed = run.exchanges.filter(hasCode).flatMap((one) => {
    const other = theirs.get(exchangeKey(one, run));
    return other && other.body !== one.body ? [[one, other] as const] : [];
  });
  const few = changed.slice(0, MOST_CODE);
  return { run: few.map(([one]) => one), pass: few.map(([, other]) => other) };
}

const hasCode = (one: Exchange) =>
  one.body !== null && one.status === 200 && (one.type === "script" || one.type === "stylesheet");

const MOST_TEST_FILES = 40;

/** References to files of the test's own code that a run recorded, by the names that its stacks have; those of the failure first. */
export function testCodeOf({ steps }: RunFacts, stack: readonly StackFrame[]): Map<string, string> {
  const frames = [...stack, ...steps.flatMap((step) => step.stack)];
  const files = frames.flatMap(({ file, source }) => (source === undefined ? [] : [[file, source] as const]));
  return new Map([...new Map(files)].slice(0, MOST_TEST_FILES));
}

/** Answers of a pass to the same requests, with other bodies. */
export function comparableBodies(run: RunFacts, wanted: readonly Exchange[], pass: RunFacts): Exchange[] {
  // What the passes asked for where one address answers everything is not known yet.
  const nameOf = (one: Exchange, facts: RunFacts) => exchangeKey({ ...one, operation: null }, facts);
  const keys = new Set(wanted.map((one) => nameOf(one, run)));
  return pass.exchanges
    .filter((one) => hasText(one) && isTold(one) && keys.has(nameOf(one, pass)))
    .slice(-2 * MOST_BODIES);
}

function isTold({ type, mediaType, status }: Exchange): boolean {
  if (mediaType !== "" && !TEXTUAL.test(mediaType)) return false;
  if (status !== null && status >= 400) return true;
  return type === null || /^(?:xhr|fetch|api|other|document|eventsource)$/.test(type)
    ? !/css|javascript/.test(mediaType)
    : false;
}
