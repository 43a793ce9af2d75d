import type { Frame, Locator, Page } from "playwright-core";
import { substring } from "../globs.ts";
import type { Expectation, Target } from "../language/ast.ts";
import { ask } from "./ask.ts";
import { closestLine } from "./closest-line.ts";
import { answerOf, requireUnseen, seekElement, shownFrames, type Wait } from "./seek.ts";

const LONGEST_RECEIVED = 500;

/** What was found when an expectation was held against the page. */
export interface Finding {
  ok: boolean;
  expected: string;
  received: string;
  /** What people are told that was found, where `received` is a whole page. */
  found?: string;
}

/** In any frame that a person sees, or in what its target means. */
export async function lookForText(
  page: Page,
  { text, target }: Extract<Expectation, { type: "text" }>,
  wait: Wait,
): Promise<Finding> {
  const wanted = wait.values.resolve(text);
  const expected = `the text ${JSON.stringify(wanted)}`;
  const silent: Frame[] = [];
  const texts = await Promise.all(
    (await textHolders(page, target, wait)).map(async ({ frame, locator }) => {
      const parts = locator.getByText(substring(wanted)).filter({ visible: true });
      if (await answerOf(frame, parts.count(), wait)) return null;
      // It may be spread over several elements.
      const whole = await answerOf(frame, ask<string>(locator, TEXT), wait);
      if (whole === undefined) silent.push(frame);
      return whole?.includes(wanted) ? null : (whole ?? "");
    }),
  );
  if (texts.includes(null)) return { ok: true, expected, received: JSON.stringify(wanted) };
  await requireUnseen(silent, wait);
  // What is not there (yet) has none; the expectation says so.
  const all = texts.join("\n");
  const closest = closestLine(all, wanted);
  return { ok: false, expected, received: shorten(all), ...(closest && { found: shorten(closest) }) };
}

/** What a text is looked for in. */
async function textHolders(
  page: Page,
  target: Target | null,
  wait: Wait,
): Promise<{ frame: Frame; locator: Locator }[]> {
  if (target) {
    const holder = await seekElement(page, target, wait, "outermost");
    return holder ? [holder] : [];
  }
  const frames = await shownFrames(page, wait);
  return frames.map((frame) => ({ frame, locator: frame.locator("body") }));
}

/** Of something that is no HTML it is not known. */
const TEXT = '([first]) => first?.innerText ?? ""';

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return "no text";
  return JSON.stringify(line.length > LONGEST_RECEIVED ? `${line.slice(0, LONGEST_RECEIVED)}…` : line);
}
