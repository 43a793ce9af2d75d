import { untraced } from "../browsers/untraced.ts";
import { StepFailure } from "../errors.ts";
import { addressPattern } from "../globs.ts";
import type { Expectation } from "../language/ast.ts";
import type { Deadline, Environment } from "./environment.ts";
import { findElement } from "./find.ts";
import { type Finding, lookForText } from "./look-for-text.ts";
import { countThere, countVisible } from "./seek.ts";
import { showTarget } from "./targets.ts";

/** What a page may take for its first answer, however short the step. */
const LEAST_MS = 5000;
const POLL_MS = [10, 30, 60, 100];

/** An expectation that came true. */
export interface Met {
  expected: string;
  received: string;
}

/**
 * Waits until an expectation holds (or, with `not`, does not hold). Neither does as long as nobody can tell which elements it is about:
 * what its `near` means is not there, or what its `in` or `near` means are several.
 * @throws StepFailure with what was expected and what was there instead
 */
export async function expectThat(
  environment: Environment,
  { expectation, not }: { expectation: Expectation; not: boolean },
  deadline: Deadline,
): Promise<Met> {
  let last: Finding | StepFailure | null = null;
  const isMet = () => last !== null && !(last instanceof StepFailure) && last.ok !== not;
  for (let poll = 0; ; poll++) {
    const looked = untraced(environment.context, () => lookNow(environment, expectation, deadline));
    // A page that hangs answers never. A slow one gets more than a short step has: without an answer nothing is known.
    last = (await inTime(environment, looked, last ? deadline.remaining() : LEAST_MS)) ?? last;
    if (isMet() || deadline.isOver()) break;
    await deadline.pause(POLL_MS[poll] ?? 100);
    environment.signal.throwIfAborted();
  }
  if (!last) throw new StepFailure("The page did not answer in time.");
  // The archive gets the page that decided it, and none of those before.
  await deadline.race(look(environment, expectation, deadline).catch(() => null));
  if (last instanceof StepFailure) throw last;
  if (last.ok !== not) return { expected: last.expected, received: last.received };
  const expected = not ? `not ${last.expected}` : last.expected;
  throw new StepFailure(`Expected ${expected}, but found ${last.found ?? last.received}.`, {
    expected,
    received: last.received,
  });
}

/** What is found now, or why nobody can tell. */
async function lookNow(
  environment: Environment,
  expectation: Expectation,
  deadline: Deadline,
): Promise<Finding | StepFailure> {
  try {
    return await look(environment, expectation, deadline);
  } catch (error) {
    if (error instanceof StepFailure) return error;
    throw error;
  }
}

/** Null when there is none in time, nor before the run ends. */
async function inTime<T>({ clock, signal }: Environment, work: Promise<T>, ms: number): Promise<T | null> {
  const over = new AbortController();
  const late = clock.sleep(ms, AbortSignal.any([over.signal, signal])).then(() => null);
  // What comes later is asked for by nobody.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

async function look(
  environment: Environment,
  expectation: Expectation,
  deadline: Deadline,
): Promise<Finding> {
  const { values } = environment;
  const page = environment.page();
  const wait = { values, deadline };
  switch (expectation.type) {
    case "text":
      return lookForText(page, expectation, wait);
    case "url": {
      const wanted = values.resolve(expectation.text);
      return {
        ok: addressPattern(wanted).test(page.url()),
        expected: `an address with ${wanted}`,
        received: page.url(),
      };
    }
    case "title": {
      const wanted = values.resolve(expectation.text);
      const title = await page.title();
      return {
        ok: title.includes(wanted),
        expected: `a title with ${JSON.stringify(wanted)}`,
        received: JSON.stringify(title),
      };
    }
    case "count": {
      const count = await countVisible(page, expectation.target, wait);
      const what = showTarget(expectation.target);
      return {
        ok: count === expectation.count,
        expected: `${expectation.count} of ${what}`,
        received: String(count),
      };
    }
    case "value": {
      const wanted = values.resolve(expectation.text);
      const { locator } = await findElement(page, expectation.target, wait);
      const value = await locator.inputValue({ timeout: deadline.remaining() });
      return {
        ok: value === wanted,
        expected: `the value ${JSON.stringify(wanted)}`,
        received: JSON.stringify(value),
      };
    }
    case "visible":
    case "hidden": {
      const isVisible = (await countVisible(page, expectation.target, wait)) > 0;
      const there = isVisible
        ? "it visible"
        : (await countThere(page, expectation.target, wait)).count > 0
          ? "it hidden"
          : "nothing like it on the page";
      return {
        ok: isVisible === (expectation.type === "visible"),
        expected: `${showTarget(expectation.target)} to be ${expectation.type}`,
        received: there,
      };
    }
    case "enabled":
    case "checked": {
      const { locator } = await findElement(page, expectation.target, wait);
      const timeout = deadline.remaining();
      const is =
        expectation.type === "enabled"
          ? await locator.isEnabled({ timeout })
          : await locator.isChecked({ timeout });
      const otherwise = expectation.type === "enabled" ? "disabled" : "unchecked";
      return {
        ok: is,
        expected: `${showTarget(expectation.target)} to be ${expectation.type}`,
        received: is ? expectation.type : otherwise,
      };
    }
    case "request":
      return lookForRequest(environment, expectation);
  }
}

function lookForRequest(
  { network, values }: Environment,
  { method, url, status }: Extract<Expectation, { type: "request" }>,
): Finding {
  const wanted = values.resolve(url);
  const pattern = addressPattern(wanted);
  const fitting = network.seen.filter(
    (request) => (method === null || request.method === method) && pattern.test(request.url),
  );
  const expected = `a request ${[method, wanted, status === null ? null : `answered with ${status}`].filter((part) => part !== null).join(" ")}`;
  const ok = fitting.some((request) => status === null || request.status === status);
  const answers = fitting.map(
    (request) => `${request.method} ${request.url}: ${request.status ?? "no answer yet"}`,
  );
  return { ok, expected, received: answers.length > 0 ? answers.slice(-5).join(", ") : "no such request" };
}
