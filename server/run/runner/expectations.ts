import { untraced } from "../browsers/untraced.ts";
import { StepFailure } from "../errors.ts";
import { addressPattern, substring } from "../globs.ts";
import type { Expectation } from "../language/ast.ts";
import { ask } from "./ask.ts";
import { closestLine } from "./closest-line.ts";
import type { Deadline, Environment } from "./environment.ts";
import { findElement } from "./find.ts";
import { locatorOf, showTarget } from "./targets.ts";

/** What a page may take for its first answer, however short the step. */
const LEAST_MS = 5000;
const POLL_MS = [10, 30, 60, 100];
const LONGEST_RECEIVED = 500;

/** What was found when an expectation was held against the page. */
interface Finding {
  ok: boolean;
  expected: string;
  received: string;
  /** What people are told that was found, where `received` is a whole page. */
  found?: string;
}

/** An expectation that came true. */
export interface Met {
  expected: string;
  received: string;
}

/**
 * Waits until an expectation holds (or, with `not`, does not hold).
 * @throws StepFailure with what was expected and what was there instead
 */
export async function expectThat(
  environment: Environment,
  { expectation, not }: { expectation: Expectation; not: boolean },
  deadline: Deadline,
): Promise<Met> {
  let last: Finding | null = null;
  for (let poll = 0; ; poll++) {
    const looked = untraced(environment.context, () => look(environment, expectation, deadline));
    // A page that hangs answers never. A slow one gets more than a short step has: without an answer nothing is known.
    last = (await answerOf(environment, looked, last ? deadline.remaining() : LEAST_MS)) ?? last;
    if ((last && last.ok !== not) || deadline.isOver()) break;
    await deadline.pause(POLL_MS[poll] ?? 100);
    environment.signal.throwIfAborted();
  }
  if (!last) throw new StepFailure("The page did not answer in time.");
  // The archive gets the page that decided it, and none of those before.
  await deadline.race(look(environment, expectation, deadline).catch(() => null));
  if (last.ok !== not) return { expected: last.expected, received: last.received };
  const expected = not ? `not ${last.expected}` : last.expected;
  throw new StepFailure(`Expected ${expected}, but found ${last.found ?? last.received}.`, {
    expected,
    received: last.received,
  });
}

/** Null when there is none in time, nor before the run ends. */
async function answerOf<T>({ clock, signal }: Environment, work: Promise<T>, ms: number): Promise<T | null> {
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
  switch (expectation.type) {
    case "text": {
      const wanted = values.resolve(expectation.text);
      const expected = `the text ${JSON.stringify(wanted)}`;
      const holder = expectation.target
        ? locatorOf(page, expectation.target, values).filter({ visible: true }).first()
        : page.locator("body");
      const found = await holder.getByText(substring(wanted)).filter({ visible: true }).count();
      if (found > 0) return { ok: true, expected, received: JSON.stringify(wanted) };
      // It may be spread over several elements.
      // What is not there (yet) has none; the expectation says so.
      const text = (await ask<string>(holder, TEXT)) ?? "";
      if (text.includes(wanted)) return { ok: true, expected, received: JSON.stringify(wanted) };
      const closest = closestLine(text, wanted);
      return { ok: false, expected, received: shorten(text), ...(closest && { found: shorten(closest) }) };
    }
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
      const all = locatorOf(page, expectation.target, values).filter({ visible: true });
      const count = await all.count();
      const what = showTarget(expectation.target);
      return {
        ok: count === expectation.count,
        expected: `${expectation.count} of ${what}`,
        received: String(count),
      };
    }
    case "value": {
      const wanted = values.resolve(expectation.text);
      const { locator } = await findElement(page, expectation.target, { values, deadline });
      const value = await locator.inputValue({ timeout: deadline.remaining() });
      return {
        ok: value === wanted,
        expected: `the value ${JSON.stringify(wanted)}`,
        received: JSON.stringify(value),
      };
    }
    case "visible":
    case "hidden": {
      const all = locatorOf(page, expectation.target, values);
      const seen = await all.filter({ visible: true }).count();
      const isVisible = seen > 0;
      const there = isVisible
        ? "it visible"
        : (await all.count()) > 0
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
      const { locator } = await findElement(page, expectation.target, { values, deadline });
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

/** Of something that is no HTML it is not known. */
const TEXT = '([first]) => first?.innerText ?? ""';

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return "no text";
  return JSON.stringify(line.length > LONGEST_RECEIVED ? `${line.slice(0, LONGEST_RECEIVED)}…` : line);
}
