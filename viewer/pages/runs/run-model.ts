import { batch, computed, signal } from "@preact/signals";
import { hasEnded } from "../../api/answers.ts";
import { isDealtWith } from "../../ui/failing.ts";
import { markFresh, markOld } from "../../ui/old.tsx";
import { openStream } from "../../ui/stream.ts";
import { type LogLine, type Run, runsApi } from "./api.ts";
import { createPictures, type Picture } from "./pictures.ts";

export type StepState = "waiting" | "running" | "passed" | "failed" | "ended";

export interface StepProgress {
  id: string;
  source: string;
  from: string | null;
  state: StepState;
  /** Between its first and its last line; null while it waits. */
  durationMs: number | null;
  startedAt: number | null;
  error: string | null;
}

/** A message of the run's stream. */
type RunNews =
  | { type: "run.changed" }
  | { type: "line"; line: LogLine }
  | { type: "picture"; picture: Picture };

/** Lines of the log that are shown: the newest. */
export const MOST_LINES = 2000;
const BUNCH_MS = 100;

/** One run as it goes on: its record, its log, how far it is, and what its page looks like. */
export function createRunModel(id: string) {
  const run = signal<Run | null>(null);
  const error = signal<unknown>(null);
  const title = signal("");
  const plan = signal<readonly { id: string; source: string; from: string | null }[]>([]);
  const lines = signal<readonly LogLine[]>([]);
  /** Of each step, apart from the lines: a long run has more of these than are shown. */
  const told = signal<ReadonlyMap<string, Told>>(new Map());
  const controller = new AbortController();
  const pictures = createPictures();
  let lastLine = -1;
  let bunch: LogLine[] = [];
  let bunchTimer: ReturnType<typeof setTimeout> | null = null;

  const steps = computed<StepProgress[]>(() =>
    plan.value.map((step) => ({ ...step, ...progressOf(told.value.get(step.id), run.value) })),
  );

  async function load(): Promise<void> {
    try {
      const [record, { title: name, items }] = await Promise.all([
        runsApi.show(id, controller.signal),
        runsApi.steps(id, controller.signal),
      ]);
      batch(() => {
        run.value = record;
        title.value = name;
        plan.value = items;
        error.value = null;
      });
    } catch (problem) {
      if (!isDealtWith(problem)) error.value = problem;
    }
  }

  async function reload(): Promise<void> {
    try {
      run.value = await runsApi.show(id, controller.signal);
      markFresh(run);
    } catch (problem) {
      // What is shown stays; the next news asks again.
      if (!isDealtWith(problem) && run.value) markOld(run, problem, () => void reload());
    }
  }

  /** A stream that ended would be opened again and again: whether this one has said all. */
  async function isOver(): Promise<boolean> {
    await reload();
    return controller.signal.aborted || (run.value !== null && hasEnded(run.value));
  }

  /** Shows the lines that came. Together: the page of a long run opens with thousands. */
  function showLines(): void {
    bunchTimer = null;
    const bySteps = new Map(told.peek());
    for (const line of bunch) {
      if (!line.step_id) continue;
      const { first = line } = bySteps.get(line.step_id) ?? {};
      bySteps.set(line.step_id, { first, last: line });
    }
    const all = [...lines.peek(), ...bunch].slice(-MOST_LINES);
    bunch = [];
    batch(() => {
      lines.value = all;
      told.value = bySteps;
    });
  }

  function takeLine(line: LogLine): void {
    // A connection that the browser made anew begins where the first one did.
    if (line.seq <= lastLine) return;
    lastLine = line.seq;
    bunch.push(line);
    bunchTimer ??= setTimeout(showLines, BUNCH_MS);
  }

  /** Follows the run until the returned function is called. */
  function follow(): () => void {
    const end = openStream(() => runsApi.liveUrl(id, { line: lastLine, picture: pictures.last() }), {
      // What happened before it listened.
      onOpen: () => void reload(),
      onMessage(data) {
        const news = JSON.parse(data) as RunNews;
        if (news.type === "line") takeLine(news.line);
        else if (news.type === "picture") pictures.take(news.picture);
        else void reload();
      },
      async onLost() {
        if (await isOver()) end();
      },
    });
    void load();
    return () => {
      end();
      if (bunchTimer) clearTimeout(bunchTimer);
      controller.abort();
      markFresh(run);
    };
  }

  return { run, error, title, steps, lines, picture: pictures.newest, follow, load, reload };
}

export type RunModel = ReturnType<typeof createRunModel>;

/**
 * The steps of a failed run whose log is not here: steps are carried out one after another, so that those before the failed
 * one have passed. Where the log tells of any step, the steps stay as it tells them.
 */
export function stepsUntilFailure(
  steps: readonly StepProgress[],
  failedId: string | null,
  error: string | null,
): readonly StepProgress[] {
  const failedAt = steps.findIndex(({ id }) => id === failedId);
  if (failedAt < 0 || steps.some(({ state }) => state !== "waiting")) return steps;
  return steps.map((step, at) => {
    if (at > failedAt) return step;
    return at < failedAt ? { ...step, state: "passed" } : { ...step, state: "failed", error };
  });
}

type Progress = Pick<StepProgress, "state" | "durationMs" | "startedAt" | "error">;

/** What the log says of a step: its first line when it begins, its last when it ends. */
interface Told {
  first: LogLine;
  last: LogLine;
}

function progressOf(told: Told | undefined, run: Run | null): Progress {
  // A run that passed has done every step, also where its log is not here (yet, or any more).
  if (!told) {
    const state = run?.status === "passed" ? "passed" : "waiting";
    return { state, durationMs: null, startedAt: null, error: null };
  }
  const { first, last } = told;
  const startedAt = Date.parse(first.ts);
  if (first === last) {
    const isOver = run !== null && hasEnded(run);
    return { state: isOver ? "ended" : "running", durationMs: null, startedAt, error: null };
  }
  const durationMs = Math.max(0, Date.parse(last.ts) - startedAt);
  return last.level === "error"
    ? { state: "failed", durationMs, startedAt, error: last.message }
    : { state: "passed", durationMs, startedAt, error: null };
}
