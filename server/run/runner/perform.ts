import type { ElementHandle, Locator } from "playwright-core";
import { FileWithinError, fileWithin } from "../../platform/file-within.ts";
import { addressOf } from "../addresses.ts";
import { pageTime } from "../browsers/page-time.ts";
import { untraced } from "../browsers/untraced.ts";
import { ElementMissing, RunnerError, StepFailure } from "../errors.ts";
import { addressPattern } from "../globs.ts";
import type { Action, Target, Text } from "../language/ast.ts";
import { type ElementProbe, probeElements } from "./element-probe.ts";
import { fillIn, judgedElement, typeAtFocus, typeIn } from "./enter.ts";
import type { Deadline, Environment } from "./environment.ts";
import { expectThat } from "./expectations.ts";
import { findElement } from "./find.ts";
import type { Found } from "./found.ts";
import { findByFingerprint } from "./heal.ts";
import { sendRequest } from "./request.ts";
import { guardSent } from "./secret-origins.ts";
import { guardTyped, guardTypedAtFocus } from "./secret-steps.ts";
import { showTarget } from "./targets.ts";

export interface Point {
  x: number;
  y: number;
}

/** Every action but `expect`, which is an assertion. */
export type ActionStep = Exclude<Action, { verb: "expect" }>;

/**
 * Carries an action out.
 * @returns where the pointer acted, in CSS pixels of the viewport
 * @throws StepFailure, RunnerError where this side lacks something, or what Playwright throws
 */
export async function perform(
  environment: Environment,
  action: ActionStep,
  deadline: Deadline,
): Promise<Point | null> {
  const { values, clock, signal } = environment;
  const timeout = deadline.remaining();
  switch (action.verb) {
    case "go": {
      const url = addressFor(environment, action.url, "");
      await environment.reach.to(() => environment.page().goto(url, { timeout }));
      return null;
    }
    case "click":
    case "double_click":
    case "check":
    case "uncheck":
    case "hover":
    case "scroll": {
      const act = POINTED[action.verb];
      return point(environment, action.target, deadline, (locator, left) => act(locator, left));
    }
    case "fill": {
      const value = values.resolve(action.value);
      return point(environment, action.target, deadline, async (locator, left, seen) => {
        await guardTyped(environment, { locator, isSecret: mayBeSecret(seen) }, value);
        await fillIn(environment, locator, action.value, left);
      });
    }
    case "type": {
      const text = values.resolve(action.text);
      if (!action.target) {
        await guardTypedAtFocus(environment, text);
        await typeAtFocus(environment, action.text);
        return null;
      }
      return point(environment, action.target, deadline, async (locator, left, seen) => {
        await guardTyped(environment, { locator, isSecret: mayBeSecret(seen) }, text);
        await typeIn(environment, locator, action.text, left);
      });
    }
    case "press": {
      if (!action.target) {
        await environment.page().keyboard.press(action.key);
        return null;
      }
      return point(environment, action.target, deadline, (locator, left) =>
        locator.press(action.key, { timeout: left }),
      );
    }
    case "select": {
      const option = values.resolve(action.option);
      return point(environment, action.target, deadline, async (locator, left) => {
        const judged = await judgedElement(environment, locator, action.option, left);
        await select(locator, option, left, judged ?? locator);
      });
    }
    case "upload": {
      const files = await Promise.all(action.files.map((file) => fileOf(environment, file)));
      return point(environment, action.target, deadline, (locator, left) =>
        locator.setInputFiles(files, { timeout: left }),
      );
    }
    case "drag": {
      const { locator: to } = await find(environment, action.to, deadline);
      return point(environment, action.target, deadline, (locator, left) =>
        locator.dragTo(to, { timeout: left }),
      );
    }
    case "wait":
      await clock.sleep(action.duration_ms, signal);
      return null;
    case "wait_for":
      await waitFor(environment, action, deadline);
      return null;
    case "wait_for_url":
      await environment
        .page()
        .waitForURL(addressPattern(values.resolve(action.url)), { timeout, waitUntil: "commit" });
      return null;
    case "wait_for_request":
      await waitForRequest(environment, action, deadline);
      return null;
    case "advance_clock":
      await inTime(environment.context.clock.fastForward(action.by_ms), deadline);
      environment.recorder.emit("clock.advance", { by_ms: action.by_ms });
      return null;
    case "set_clock":
      await setClock(environment, action.to, deadline);
      return null;
    case "inject_error":
      await environment.injections.error(action.url, action.status, action.times);
      return null;
    case "inject_latency":
      await environment.injections.latency(action.url, action.ms, action.times);
      return null;
    case "clear_injections":
      await environment.injections.clear();
      return null;
    case "screenshot":
      return null;
    case "request": {
      const url = addressFor(environment, action.url, action.body ?? "");
      await sendRequest(environment, { ...action, url }, deadline);
      return null;
    }
    case "set": {
      const { name, from } = action;
      const secrets = from.type === "text" ? values.secretsIn(from.text) : [];
      values.set(name, await valueFrom(environment, from, deadline), secrets);
      return null;
    }
  }
}

/**
 * Where something is sent: judged first for the secrets that go there, which may be what keeps it from being an address.
 * @throws RunnerError `secret_not_allowed`, or what `addressOf` throws
 */
function addressFor(environment: Environment, given: Text, body: Text): string {
  const { values, baseUrl } = environment;
  const url = URL.parse(values.resolve(given), baseUrl ?? undefined);
  guardSent(environment, url?.href ?? "", [given, body]);
  return addressOf(environment, given);
}

function isOpen(environment: Environment): boolean {
  return !environment.signal.aborted && environment.context.pages().length > 0;
}

/** How long an element's place may take when the deed is done: it was found before, and is not waited for. */
const PLACE_MS = 100;

const POINTED = {
  click: (locator: Locator, timeout: number) => locator.click({ timeout }),
  double_click: (locator: Locator, timeout: number) => locator.dblclick({ timeout }),
  check: (locator: Locator, timeout: number) => locator.check({ timeout }),
  uncheck: (locator: Locator, timeout: number) => locator.uncheck({ timeout }),
  hover: (locator: Locator, timeout: number) => locator.hover({ timeout }),
  scroll: (locator: Locator, timeout: number) => locator.scrollIntoViewIfNeeded({ timeout }),
};

/** A field that went away before it could be looked at may come back as a password's. */
const mayBeSecret = (seen: ElementProbe | null): boolean => seen?.isSecret ?? true;

async function find(environment: Environment, target: Target, deadline: Deadline): Promise<Found> {
  const { elements, values } = environment;
  const name = elements.name(target);
  let found: Found;
  try {
    const page = environment.page();
    found = await untraced(page.context(), () => findElement(page, target, { values, deadline }));
    environment.thinking.found.push(`Looking for ${showTarget(target)}. ${found.why}`);
  } catch (error) {
    if (!(error instanceof ElementMissing) || !elements.mayHeal) throw error;
    found = await heal(environment, { target, name, deadline }, error);
  }
  if (found.seen) elements.seen[name] = found.seen.fingerprint;
  return found;
}

/** Takes the one element that is what earlier passes acted on, and says so. @throws StepFailure */
async function heal(
  { elements, recorder, thinking, page }: Environment,
  { target, name, deadline }: { target: Target; name: string; deadline: Deadline },
  missing: ElementMissing,
): Promise<Found> {
  const known = elements.known[name];
  const found = known ? await findByFingerprint(page(), known) : { type: "none" as const };
  if (found.type === "none") throw missing;
  if (found.type === "unclear")
    throw new StepFailure(
      `${missing.message} ${found.count} elements are like the one that earlier passes found there, so none was taken for it.`,
      { cause: missing },
    );
  const healed = { from: showTarget(target), to: found.to, why: found.why };
  elements.heals.push({ step_id: recorder.stepId ?? "", ...healed });
  thinking.found.push(
    `There is no ${healed.from}. ${healed.to} is taken for it, the only element with ${healed.why} as in earlier passes.`,
  );
  thinking.healed = healed;
  deadline.renew();
  const { locator, frame, why } = found;
  return { locator, frame, why, seen: await probeElements(locator) };
}

async function point(
  environment: Environment,
  target: Target,
  deadline: Deadline,
  act: (locator: Locator, timeout: number, seen: ElementProbe | null) => Promise<unknown>,
): Promise<Point | null> {
  const found = await find(environment, target, deadline);
  const { locator, seen } = found;
  const place = placeOf(environment, found, deadline);
  try {
    await act(locator, deadline.remaining(), seen);
  } catch (error) {
    // A window that closes itself by the deed took its answer with it.
    if (!(locator.page().isClosed() && isOpen(environment))) throw error;
  }
  return place();
}

/** Where an element is when it is acted on: known already, unless it stands in a frame or has to be scrolled to. */
function placeOf(
  environment: Environment,
  { locator, frame, seen }: Found,
  deadline: Deadline,
): () => Promise<Point | null> {
  const middle = frame.parentFrame() === null ? seen?.middle : null;
  if (middle) return async () => middle;
  // Asked for together with the deed, which the browser answers later. What just went away has no place.
  const timeout = deadline.remaining();
  const asked = untraced(locator.page().context(), () => locator.boundingBox({ timeout })).catch(() => null);
  return async () => {
    const over = new AbortController();
    const late = environment.clock.sleep(PLACE_MS, over.signal).then(() => null);
    const box = await Promise.race([asked, late]);
    over.abort();
    return box && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
  };
}

async function select(
  locator: Locator,
  option: string,
  timeout: number,
  chooser: Pick<Locator | ElementHandle, "selectOption">,
): Promise<void> {
  const labels = await locator.locator("option").allInnerTexts();
  const exact = labels.find((label) => label.trim() === option);
  const label = exact ?? labels.find((one) => one.includes(option));
  if (
    label === undefined &&
    labels.length > 0 &&
    (await locator.locator(`option[value=${JSON.stringify(option)}]`).count()) === 0
  )
    throw new StepFailure(
      `It has no option ${JSON.stringify(option)}; there are ${labels.map((one) => JSON.stringify(one.trim())).join(", ")}.`,
    );
  await chooser.selectOption(label === undefined ? { value: option } : { label: label.trim() }, { timeout });
}

async function fileOf({ values, filesFolder }: Environment, file: Text): Promise<string> {
  const name = values.resolve(file);
  if (filesFolder === null)
    throw new RunnerError("file_missing", `There is no folder here that ${name} could be taken from.`);
  try {
    return await fileWithin(filesFolder, name);
  } catch (error) {
    if (!(error instanceof FileWithinError)) throw error;
    throw new RunnerError("file_missing", error.message);
  }
}

async function waitFor(
  environment: Environment,
  { target, state }: Extract<Action, { verb: "wait_for" }>,
  deadline: Deadline,
): Promise<void> {
  try {
    await expectThat(environment, { expectation: { type: state, target }, not: false }, deadline);
  } catch (cause) {
    if (!(cause instanceof StepFailure)) throw cause;
    // Without an answer of the page (`received`), its message says what the target is unclear for.
    const why = cause.received === undefined ? `: ${cause.message}` : ".";
    throw new StepFailure(`${showTarget(target)} did not become ${state} in time${why}`, { cause });
  }
}

async function waitForRequest(
  { network, values, signal }: Environment,
  { method, url }: Extract<Action, { verb: "wait_for_request" }>,
  deadline: Deadline,
): Promise<void> {
  const wanted = values.resolve(url);
  const pattern = addressPattern(wanted);
  const fits = () =>
    network.seen.some(
      (request) =>
        request.status !== null &&
        (method === null || request.method === method) &&
        pattern.test(request.url),
    );
  const until = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(deadline.remaining()))]);
  while (!fits()) {
    if (until.aborted)
      throw new StepFailure(`No request ${method ? `${method} ` : ""}${wanted} was answered in time.`);
    await network.change(until);
  }
}

async function setClock(
  { context, page, recorder }: Environment,
  to: string,
  deadline: Deadline,
): Promise<void> {
  // The page's own clock, which is not this program's.
  const before = await inTime(pageTime(page()), deadline);
  const wanted = Date.parse(to);
  // Forward, what is due meanwhile fires; backward, nothing can be undone.
  const { clock } = context;
  await inTime(wanted > before ? clock.fastForward(wanted - before) : clock.setSystemTime(wanted), deadline);
  recorder.emit("clock.advance", { by_ms: wanted - before });
}

/** Of what a page is asked without a limit of Playwright's. @throws StepFailure */
async function inTime<T>(work: Promise<T>, deadline: Deadline): Promise<T> {
  const done = await deadline.race(work.then((value) => ({ value })));
  if (done) return done.value;
  work.catch(() => {});
  throw new StepFailure("The page did not answer in time.");
}

async function valueFrom(
  environment: Environment,
  from: Extract<Action, { verb: "set" }>["from"],
  deadline: Deadline,
): Promise<string> {
  switch (from.type) {
    case "text":
      return environment.values.resolve(from.text);
    case "text_of":
      return (
        await (
          await find(environment, from.target, deadline)
        ).locator.innerText({ timeout: deadline.remaining() })
      ).trim();
    case "value_of":
      return (await find(environment, from.target, deadline)).locator.inputValue({
        timeout: deadline.remaining(),
      });
    case "response":
      return valueAt(environment.lastResponse, from.pointer);
  }
}

/** RFC 6901 */
function valueAt(response: Environment["lastResponse"], pointer: string): string {
  if (!response) throw new StepFailure("No request before this step was answered with JSON.");
  let value: unknown = response.value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = value !== null && typeof value === "object" ? (value as Record<string, unknown>)[key] : undefined;
  }
  if (value === undefined) throw new StepFailure(`The last answer has nothing at ${pointer}.`);
  return typeof value === "string" ? value : JSON.stringify(value);
}
