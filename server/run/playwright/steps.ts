import type { TestInfo } from "@playwright/test";
import type { Clock } from "../../platform/clock.ts";
import { type BegunStep, type EndedStep, hearSteps, type StepError } from "../browsers/internals.ts";
import type { Recorder } from "../capture/recorder.ts";
import { MASK, type Redactor } from "../redaction/redact.ts";
import type { TypingWatch } from "./typing.ts";

const CATEGORIES = ["pw:api", "expect", "test.step"];
const LONGEST = 16 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours are what is taken out
const COLOURS = /\u001b\[[0-9;]*m/g;
/** Fields whose value is nobody's business, by what the test calls them. */
const SECRET_FIELD = /passw|pwd|secret|token|api.?key/i;

/**
 * Records the steps of a test as they end (calls, expectations, `test.step`), and has everything else that is recorded
 * meanwhile belong to the innermost that is under way.
 */
export function captureSteps(
  testInfo: TestInfo,
  options: {
    recorder: Recorder;
    redactor: Redactor;
    clock: Clock;
    typing: TypingWatch;
    onStepEnd: () => void;
  },
): { finish(): Promise<void> } {
  const { recorder, redactor, clock, typing } = options;
  const open = new Map<string, BegunStep & { ts: number; started: number }>();
  const told = new Set<string>();
  /** Steps are recorded in order, each when it is known whether its text may be. */
  let recorded: Promise<void> = Promise.resolve();

  function begin(step: BegunStep): void {
    // Calls that an old Playwright does not count as internal have no title.
    if (step.title === "" || !CATEGORIES.includes(step.category)) return;
    open.set(step.stepId, { ...step, ts: clock.now(), started: clock.monotonic() });
    recorder.enter(step.stepId);
    const text = textOf(step);
    if (text === "") return;
    typing.begin(step.stepId, text);
    if (SECRET_FIELD.test(targetOf(step))) typing.hide(step.stepId);
  }

  function end({ stepId, error }: EndedStep): void {
    const step = open.get(stepId);
    if (!step) return;
    options.onStepEnd();
    open.delete(stepId);
    const failure = error ? describe(error) : null;
    if (failure) told.add(failure.message);
    const { location, parentStepId } = step;
    const shared = {
      duration_ms: Math.round((clock.monotonic() - step.started) * 10) / 10,
      ...(parentStepId && open.has(parentStepId) && { parent_step_id: parentStepId }),
      ...(location && { stack: [location] }),
    };
    recorder.enter([...open.keys()].at(-1) ?? null);
    // A field that it did not come to could be any.
    if (failure) typing.hide(stepId);
    recorded = Promise.all([typing.end(stepId), recorded]).then(([isSecret]) =>
      record(isSecret ? withoutText(step, failure) : { step, failure }, shared),
    );
    // Told by `finish`.
    recorded.catch(() => {});
  }

  function record(
    { step, failure }: { step: BegunStep & { ts: number }; failure: Failure | null },
    more: Record<string, unknown>,
  ): void {
    const { stepId, ts } = step;
    const title = redactor.text(titleOf(step)).slice(0, LONGEST);
    const shared = { title, ...more, ...(failure && { error: failure }) };
    if (step.category === "expect") {
      const values = failure ? comparedIn(failure.message) : {};
      const message = failure?.message ?? shared.title;
      recorder.emit(
        "assertion",
        { ok: failure === null, message, name: "expect", ...values, ...shared },
        { ts, stepId },
      );
    } else
      recorder.emit(
        "agent.action",
        { name: nameOf(step), params: step.params ?? {}, ...shared },
        { ts, stepId },
      );
  }

  const letGo = hearSteps(testInfo, begin, end);
  return {
    async finish() {
      letGo();
      await recorded;
      for (const error of testInfo.errors) {
        const failure = describe(error);
        if (told.has(failure.message)) continue;
        told.add(failure.message);
        recorder.emit("agent.action", { name: "test", title: testInfo.title, params: {}, error: failure });
      }
    },
  };
}

/** The title with what it acts on. */
function titleOf(step: BegunStep): string {
  const target = targetOf(step);
  return target === "" || step.title.includes(target) ? step.title : `${step.title} ${target}`;
}

function targetOf({ subtitle, params = {} }: BegunStep): string {
  return typeof params.locator === "string" ? params.locator : (subtitle ?? "");
}

/** What a call types: of `fill`, of what types key by key, and of a single key that is a character. */
function textOf({ category, params = {} }: BegunStep): string {
  if (category !== "pw:api") return "";
  const text = params.value ?? params.text ?? params.key;
  const isNamedKey = params.key !== undefined && String(params.key).length > 1;
  return typeof text === "string" && !isNamedKey ? text : "";
}

/** As it may be recorded when nobody is to read what it typed. */
function withoutText<T extends BegunStep>(
  step: T,
  failure: Failure | null,
): { step: T; failure: Failure | null } {
  const text = textOf(step);
  const hide = (words: string) => words.replaceAll(`"${text}"`, `"${MASK}"`);
  const params = Object.entries(step.params ?? {}).map(([name, value]) => [
    name,
    value === text ? MASK : value,
  ]);
  return {
    step: { ...step, title: hide(step.title), params: Object.fromEntries(params) as BegunStep["params"] },
    failure: failure && {
      ...failure,
      message: hide(failure.message),
      ...(failure.stack && { stack: hide(failure.stack) }),
    },
  };
}

/** The runner says what a call does ("Click"), not what it is called. */
const nameOf = ({ category, title }: BegunStep): string =>
  category === "test.step" ? "test.step" : (/^\w+/.exec(title)?.[0].toLowerCase() ?? "call");

interface Failure {
  message: string;
  name: string;
  stack?: string;
}

function describe({ message, stack, value }: StepError): Failure {
  const clean = (text: string) => text.replace(COLOURS, "").slice(0, LONGEST);
  const [, name = "Error", text = ""] =
    /^(?:(\w*Error): )?([\s\S]*)$/.exec(clean(message ?? value ?? "")) ?? [];
  return { message: text, name, ...(stack && { stack: clean(stack) }) };
}

/** What was expected and what was there, from the words of Playwright's matchers. */
function comparedIn(message: string): { expected?: string; received?: string } {
  const wordsAfter = (name: string) =>
    new RegExp(`^${name}(?: \\w+)*: +(?:"(.*)"|(.*))$`, "m")
      .exec(message)
      ?.slice(1)
      .find((text) => text !== undefined);
  const expected = wordsAfter("Expected");
  const received = wordsAfter("Received");
  return { ...(expected !== undefined && { expected }), ...(received !== undefined && { received }) };
}
