import { batch, signal } from "@preact/signals";
import { isAbort } from "../../api/request.ts";
import { followNews } from "../../ui/news.ts";
import { type Cause, type TestOfRun, type TestRun, testRunsApi } from "./api.ts";

/** A suite tells of itself every few seconds; traces come in bursts. */
const SETTLE_MS = 1000;

/** One test run with all its tests, followed while it is shown. */
export function createTestRunModel(shortId: string) {
  const run = signal<TestRun | null>(null);
  const tests = signal<readonly TestOfRun[]>([]);
  const causes = signal<readonly Cause[]>([]);
  const hasMore = signal(false);
  const isLoaded = signal(false);
  const error = signal<unknown>(null);
  let controller = new AbortController();

  async function load(): Promise<void> {
    controller.abort();
    controller = new AbortController();
    const { signal: given } = controller;
    try {
      const asked = [testRunsApi.tests(shortId, given), testRunsApi.causes(shortId, given)] as const;
      // Told below, with the first that fails.
      for (const one of asked) one.catch(() => {});
      run.value = await testRunsApi.show(shortId, given);
      const [all, grouped] = await Promise.all(asked);
      batch(() => {
        tests.value = all.items;
        hasMore.value = all.hasMore;
        causes.value = grouped.items;
        error.value = null;
        isLoaded.value = true;
      });
    } catch (problem) {
      // What is shown stays, where something is.
      if (!isAbort(problem) && !isLoaded.value) error.value = problem;
    }
  }

  const isOurs = (traceId: string): boolean =>
    tests.value.some(({ attempts }) => attempts.some(({ trace_id }) => trace_id === traceId));

  /** Loads, and listens until the returned function is called. */
  function follow(): () => void {
    void load();
    let isFirst = true;
    const ends = [
      followNews("/v1/test-runs/live", {
        settleMs: SETTLE_MS,
        onNews: (changed) => {
          const isConcerned = changed.has(run.value?.id ?? "") || (!isFirst && changed.size === 0);
          isFirst = false;
          if (isConcerned) void load();
        },
      }),
      // A trace that was read tells better why its test failed.
      followNews("/v1/traces/live", {
        settleMs: SETTLE_MS,
        onNews: (changed) => {
          if ([...changed].some(isOurs)) void load();
        },
      }),
    ];
    return () => {
      for (const end of ends) end();
      controller.abort();
    };
  }

  return { run, tests, causes, hasMore, isLoaded, error, follow, load };
}

export type TestRunModel = ReturnType<typeof createTestRunModel>;
