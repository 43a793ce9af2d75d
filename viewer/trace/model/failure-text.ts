import { expectedAndReceived, plainText } from "../../../server/trace/format/error-text.ts";
import { isLongValue } from "../../ui/diff.tsx";
import type { TraceModel } from "./model.ts";

export const FEW_LINES = 3;
export const FEW_CHARACTERS = 160;
const LOG_OR_STACK = /\n[^\S\n]*(?:Call log:|at (?:\S+ \()?\S+:\d+)/;
const VALUE = /^\s*(Expected|Received)\b.*:/;
const DIFFERENCE = /^[-+] /;
/** Both sides line by line, and what they have in common between them. */
const DIFFERENCES = /^- Expected\b[^\n]*\n\+ Received\b/m;

/** A failure as the box above the page says it. */
export interface FailureText {
  message: string;
  expected?: string | undefined;
  received?: string | undefined;
  /** The message without log, stack, and the values that are shown on their own. */
  first: string;
  lines: string[];
  /** Whether the box shows it in short until it is asked for more. */
  isLong: boolean;
  /** Whether it is longer than the box shows at first, or has differences line by line, which the box leaves out. */
  hasMore: boolean;
  /** The log and the stack that the message ends with, which the box leaves out. */
  rest: string;
  /** The line of the log that says what the step waited for in vain; null without a log. */
  logLine: string | null;
}

/** What Playwright says of an element that it could not use, the most telling first. */
const TELLING = [
  /intercepts pointer events|strict mode violation|resolved to \d+ elements/,
  /not (?:visible|stable|enabled|editable)|outside of the viewport|(?:was|is) detached|disabled/,
  /unexpected value|locator resolved to/,
  /waiting for/,
];

/** The line of a call log that tells most; the last of its sort, for what came last is what ended the wait. */
function tellingLine(rest: string): string | null {
  const log = rest.split(/Call log:\s*\n/, 2)[1];
  if (log === undefined) return null;
  const lines = log
    .split("\n")
    .filter((line) => /^\s*(?:-|\d+ ×)/.test(line))
    .map((line) => line.replace(/^\s*(?:- )?/, "").trim());
  for (const pattern of TELLING) {
    const line = lines.findLast((one) => pattern.test(one));
    if (line !== undefined) return line;
  }
  return null;
}

/** What a message says itself, without log and stack; beside the values, which are shown on their own, without these. */
export function ownLines(lead: string, hasValues: boolean): string[] {
  const [said = ""] = hasValues ? lead.split(DIFFERENCES, 1) : [lead];
  return said
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "" && !(hasValues && (VALUE.test(line) || DIFFERENCE.test(line))));
}

/** What is said of the shown step's failure; null when it did not fail. */
export function failureText(model: TraceModel): FailureText | null {
  const failure = model.isAtFailure.value ? model.summary.value?.failure : null;
  const step = model.step.value;
  if (!failure && step?.status !== "failed") return null;
  const message = plainText(failure?.message ?? step?.error ?? "");
  const { expected, received } = failure ?? expectedAndReceived(message);
  const hasValues = expected !== undefined || received !== undefined;
  const lead = message.split(LOG_OR_STACK, 1)[0] ?? "";
  const [first = "", ...lines] = ownLines(lead, hasValues);
  const isLong =
    lines.length > FEW_LINES ||
    [first, ...lines].some((line) => line.length > FEW_CHARACTERS) ||
    isLongValue(expected) ||
    isLongValue(received);
  return {
    message,
    expected,
    received,
    first,
    lines,
    isLong,
    hasMore: isLong || (hasValues && lead.split("\n").some((line) => DIFFERENCE.test(line))),
    rest: message.slice(lead.length),
    logLine: tellingLine(message.slice(lead.length)),
  };
}
