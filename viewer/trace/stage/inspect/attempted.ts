import { plainText } from "../../../../server/trace/format/error-text.ts";
import type { TraceEvent } from "../../../../server/trace/format/event.ts";
import { describeSelector } from "../../../../server/trace/format/playwright/locator.ts";

const LONGEST = 2000;

/**
 * The locator by which a step looked for its element, as JavaScript: of its selector where the recorder kept one, else as
 * the failure's message or the engine's log names it. Null where the step has none.
 */
export function attemptedLocator(event: TraceEvent | null): string | null {
  if (!event) return null;
  const { params, message, log } = event;
  if (params && typeof params === "object" && "selector" in params && typeof params.selector === "string")
    return describeSelector(params.selector).slice(0, LONGEST);
  const named =
    typeof message === "string" ? /^Locator:[ \t]+(\S.*)$/m.exec(plainText(message))?.[1] : undefined;
  if (named) return named.trim().slice(0, LONGEST);
  const lines = Array.isArray(log) ? log.filter((line) => typeof line === "string") : [];
  for (const line of lines) {
    const [, waited] = /^\s*waiting for ((?:getBy|locator\().*?)(?: to be \w+)?$/.exec(line) ?? [];
    if (waited) return waited.slice(0, LONGEST);
  }
  return null;
}
