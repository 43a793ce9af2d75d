import type { Failed } from "../types.ts";

const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
const PLACE = String.raw`(?: nth \d+| (?:in|near) [a-z]+(?: ${TEXT})?)*`;
const TARGET = `[a-z]+ ${TEXT}${PLACE}`;
/** Steps of scenarios that are about one element, up to that element: see `server/run/language/LANGUAGE.md`. */
const ABOUT = String.raw`(?:(?:double )?click|(?:un)?check|hover|scroll to|fill|drag|wait for|(?:select|type|press) ${TEXT} in|expect (?:not )?(?:(?:visible|hidden|enabled|checked)|(?:text|value) ${TEXT} in|count \d+ of))`;
const STEP = new RegExp(`^${ABOUT} (${TARGET})`);
const GONE = new RegExp(`^There is no ([a-z]+(?: ${TEXT})?${PLACE}) on the page\\.$`, "m");
/** What the runner says where several elements fit a target. */
export const FITS_SEVERAL = new RegExp(`^(${TARGET}) fits (\\d+) elements: `);
/** A text that may stand anywhere on the page. */
const OF_TEXT = new RegExp(`^expect (text ${TEXT})(?: within \\S+)?$`);
const NAMED = new RegExp(`^([a-z]+) (${TEXT})`);
const BARE = new RegExp(`^([a-z]+)${PLACE}$`);

type Said = Pick<Failed, "title" | "message">;

/** The element that a step of a scenario is about, as the scenario names it: `button "Pay" in dialog "Payment"`. Null for other steps. */
export const scenarioTarget = ({ title, message }: Said): string | null =>
  GONE.exec(message)?.[1] ??
  FITS_SEVERAL.exec(message)?.[1] ??
  STEP.exec(title)?.[1] ??
  OF_TEXT.exec(title)?.[1] ??
  null;

/** Whether a scenario expected a text anywhere on the page, or an element that was nowhere. */
export const isGoneFromScenario = ({ title, message }: Said): boolean =>
  GONE.test(message) ||
  isOfText({ title, message }) ||
  message.endsWith(" to be visible, but found nothing like it on the page.");

const isOfText = ({ title, message }: Said): boolean =>
  message.startsWith("Expected the text ") && OF_TEXT.test(title);

/** How such a target is looked for, and what by, which a role may lack; null for what is no target of a scenario. */
export function readTarget(target: string): { by: string; value: string | null } | null {
  const [, by, text] = NAMED.exec(target) ?? BARE.exec(target.trim()) ?? [];
  return by === undefined ? null : { by, value: text === undefined ? null : textOf(text) };
}

/** What an expectation of a scenario wanted and got, as bare as assertions of Playwright's tell it. */
export function bareValues(failed: Failed): Pick<Failed, "expected" | "received"> {
  const { expected, received, message } = failed;
  if (expected === null || !message.startsWith(`Expected ${expected}, but found `)) return failed;
  const wanted =
    new RegExp(`^(?:the (?:text|value)|a title with) (${TEXT})$`).exec(expected)?.[1] ??
    /^(\d+) of /.exec(expected)?.[1] ??
    / to be (visible|hidden|enabled|checked)$/.exec(expected)?.[1];
  if (wanted === undefined) return failed;
  if (isOfText(failed)) return { expected: textOf(wanted), received: null };
  // Of a text that is long or of many elements the runner names the closest.
  const found = new RegExp(`, but found (${TEXT})\\.$`).exec(message)?.[1] ?? received ?? "";
  return {
    expected: textOf(wanted),
    received: found === "nothing like it on the page" ? null : textOf(found.replace(/^it /, "")),
  };
}

function textOf(written: string): string {
  if (!written.startsWith('"')) return written;
  try {
    return String(JSON.parse(written));
  } catch {
    // Cut short, as long texts are.
    return written.replace(/^"|"$/g, "");
  }
}
