import { batch, signal } from "@preact/signals";
import { isAbort } from "../../api/request.ts";
import { isDealtWith, tellFailure } from "../../ui/failing.ts";
import { followNews } from "../../ui/news.ts";
import { markFresh, markOld } from "../../ui/old.tsx";
import { type Cause, MOST_TESTS, type TestOfRun, type TestRun, testRunsApi } from "./api.ts";

/** A suite tells of itself every few seconds; traces come in bursts. */
const SETTLE_MS = 1000;

/** One test run with all its tests, followed while it is shown. */
export function createTestRunModel(shortId: string) {
  const run = signal<TestRun | null>(null);
  const tests = signal<readonly TestOfRun[]>([]);
  const causes = signal<readonly Cause[]>([]);
  /** After the tests that are shown; null when they are all. */
  const next = signal<string | null>(null);
  const isLoadingMore = signal(false);
  const isLoaded = signal(false);
  const error = signal<unknown>(null);
  let controller = new AbortController();

  async function load(): Promise<void> {
    controller.abort();
    controller = new AbortController();
    const { signal: given } = controller;
    // As many as are shown, when more than usual were wanted.
    const most = Math.max(MOST_TESTS, tests.peek().length);
    try {
      const asked = [
        testRunsApi.tests(shortId, { after: null, most }, given),
        testRunsApi.causes(shortId, given),
      ] as const;
      // Told below, with the first that fails.
      for (const one of asked) one.catch(() => {});
      run.value = await testRunsApi.show(shortId, given);
      const [all, grouped] = await Promise.all(asked);
      batch(() => {
        tests.value = all.items;
        next.value = all.next;
        causes.value = grouped.items;
        error.value = null;
        isLoaded.value = true;
      });
      markFresh(run);
    } catch (problem) {
      if (given.aborted || isDealtWith(problem)) return;
      // What is shown stays, where something is.
      if (isLoaded.value) markOld(run, problem, () => void load());
      else error.value = problem;
    }
  }

  /** Shows more tests of a run that has very many. */
  async function loadMore(): Promise<void> {
    if (next.value === null || isLoadingMore.value) return;
    isLoadingMore.value = true;
    const { signal: given } = controller;
    try {
      const more = await testRunsApi.tests(shortId, { after: next.value, most: MOST_TESTS }, given);
      batch(() => {
        tests.value = [...tests.value, ...more.items];
        next.value = more.next;
      });
    } catch (problem) {
      if (!isAbort(problem)) tellFailure(problem);
    } finally {
      isLoadingMore.value = false;
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
      markFresh(run);
    };
  }

  return { run, tests, causes, next, isLoadingMore, isLoaded, error, follow, load, loadMore };
}

export type TestRunModel = ReturnType<typeof createTestRunModel>;
