import type { BrowserContext } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { Redactor } from "../redaction/redact.ts";
import { createLimiter } from "./limiter.ts";
import type { Recorder } from "./recorder.ts";

/** More lines than this in a second are counted, not kept. */
const MOST_A_SECOND = 500;
const LONGEST = 16 * 1024;
/** What is read of a line, so that a secret at its end is known before the line is cut there. */
const LONGEST_READ = 2 * LONGEST;

const KINDS: Record<string, string> = {
  error: "console.error",
  assert: "console.error",
  warning: "console.warning",
  info: "console.info",
  debug: "console.debug",
};

/** Records console lines and uncaught errors of every page of a context. `finish` tells of what was left out last. */
export function captureConsole(
  context: BrowserContext,
  recorder: Recorder,
  redactor: Pick<Redactor, "text">,
  clock: Clock,
): { finish(): void } {
  const { admits, finish } = createLimiter(clock, MOST_A_SECOND, (count) => {
    const text = `${count} console lines of one second were left out: only the first ${MOST_A_SECOND} are kept.`;
    recorder.emit("console.warning", { text });
  });

  const cut = (text: string): string => redactor.text(text.slice(0, LONGEST_READ)).slice(0, LONGEST);

  context.on("console", (message) => {
    if (!admits()) return;
    const { url, lineNumber, columnNumber } = message.location();
    recorder.emit(KINDS[message.type()] ?? "console.log", {
      text: cut(message.text()),
      ...(url && { location: { url, line: lineNumber + 1, column: columnNumber + 1 } }),
    });
  });
  context.on("weberror", (webError) => {
    if (!admits()) return;
    const error = webError.error();
    recorder.emit("console.error", {
      text: cut(`${error.name}: ${error.message}`),
      ...(error.stack && { stack: cut(error.stack) }),
    });
  });
  return { finish };
}
