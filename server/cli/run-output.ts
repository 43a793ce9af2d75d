import { systemClock } from "../platform/clock.ts";
import { readTerminal } from "../platform/terminal.ts";
import type { CompiledScenario } from "../run/language/ast.ts";
import type { Progress } from "../run/runner/execution.ts";
import type { RunAnswer } from "../run/runs/model.ts";
import { duration, note, printable, say, tone } from "./output.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;
const CLEAR = "\r\x1b[2K";

/** Shows a run step by step while it goes on. */
export interface LiveSteps {
  show(progress: Progress): void;
  /** Takes away what is not to stay; whether the run's error has been shown. */
  end(): { hasToldError: boolean };
}

/** On a terminal the step that is under way has a line that moves; elsewhere only what is over is printed. */
export function liveSteps({ title, slug }: CompiledScenario): LiveSteps {
  const { hasProgress, isInteractive } = readTerminal();
  let current: AbortController | null = null;
  let hasToldError = false;

  function rest(): void {
    if (!current) return;
    current.abort();
    current = null;
    process.stderr.write(CLEAR);
  }

  async function spin(text: string, signal: AbortSignal): Promise<void> {
    const since = systemClock.monotonic();
    for (let frame = 0; !signal.aborted; frame++) {
      const width = readTerminal().width - 1;
      const seconds = Math.floor((systemClock.monotonic() - since) / 1000);
      // However long the step, how long it takes is seen.
      const time = seconds > 0 ? `  ${seconds} s` : "";
      const step = Bun.sliceAnsi(`  ${FRAMES[frame % FRAMES.length]} ${text}`, 0, width - time.length);
      process.stderr.write(`${CLEAR}${step}${time}`);
      await systemClock.sleep(FRAME_MS, signal);
    }
  }

  return {
    show(progress) {
      if (progress.type === "started") say(`${tone(printable(title), "strong")} (${slug})`);
      if (progress.type === "step" && hasProgress && isInteractive) {
        current = new AbortController();
        void spin(printable(progress.step.source), current.signal);
      }
      if (progress.type !== "step_ended") return;
      rest();
      const { step, durationMs, error } = progress;
      const mark = error ? tone("✗", "bad") : tone("✓", "good");
      say(`  ${mark} ${printable(step.source)}  ${tone(duration(durationMs), "weak")}`);
      if (!error) return;
      hasToldError = true;
      if (error.expected !== undefined && error.received !== undefined) {
        say(`    expected  ${tone(printable(error.expected), "good")}`);
        say(`    received  ${tone(printable(error.received), "bad")}`);
      } else for (const line of error.message.split("\n")) say(`    ${tone(printable(line), "bad")}`);
    },
    end() {
      rest();
      return { hasToldError };
    },
  };
}

/** How a run ended, and where to look at it. */
export function conclude(run: RunAnswer, link: string, hasToldError: boolean): void {
  for (const { from, to, why } of run.healed)
    say(
      `  ${tone("healed", "strong")}  ${printable(from)} was not there; took ${printable(to)}: ${printable(why)}`,
    );
  if (run.error && !hasToldError) note(printable(run.error.message));
  const verdict = tone(run.status, run.status === "passed" ? "good" : "bad");
  say(`${verdict} in ${duration(run.duration_ms)}  ${link}`);
}

/** The sum of several runs. */
export function concludeAll(runs: readonly RunAnswer[], files: number): void {
  if (files < 2) return;
  const passed = runs.filter(({ status }) => status === "passed").length;
  const left = files - runs.length;
  say(`${passed} of ${files} passed${left > 0 ? `, ${left} not run` : ""}`);
}
