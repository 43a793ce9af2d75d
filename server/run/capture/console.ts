import type { BrowserContext } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { Recorder } from "./recorder.ts";

/** A page that logs without end must not fill the disk: more lines than this in a second are counted, not kept. */
const MOST_A_SECOND = 500;
const LONGEST = 16 * 1024;

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
  clock: Clock,
): { finish(): void } {
  let second = 0;
  let count = 0;
  let dropped = 0;

  function tellDropped(): void {
    if (dropped === 0) return;
    const text = `${dropped} console lines of one second were left out: only the first ${MOST_A_SECOND} are kept.`;
    recorder.emit("console.warning", { text });
    dropped = 0;
  }

  function admits(): boolean {
    const now = Math.floor(clock.monotonic() / 1000);
    if (now !== second) {
      tellDropped();
      second = now;
      count = 0;
    }
    count += 1;
    if (count <= MOST_A_SECOND) return true;
    dropped += 1;
    return false;
  }

  context.on("console", (message) => {
    if (!admits()) return;
    const { url, lineNumber, columnNumber } = message.location();
    recorder.emit(KINDS[message.type()] ?? "console.log", {
      text: message.text().slice(0, LONGEST),
      ...(url && { location: { url, line: lineNumber + 1, column: columnNumber + 1 } }),
    });
  });
  context.on("weberror", (webError) => {
    if (!admits()) return;
    const error = webError.error();
    recorder.emit("console.error", {
      text: `${error.name}: ${error.message}`.slice(0, LONGEST),
      ...(error.stack && { stack: error.stack.slice(0, LONGEST) }),
    });
  });
  return { finish: tellDropped };
}
