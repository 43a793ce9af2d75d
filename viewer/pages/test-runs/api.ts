import type { CauseList, TestList, TestOfRun, TestRun } from "../../../server/trace/test-runs/model.ts";
import { getJson, withQuery } from "../../api/request.ts";
import type { Page } from "../../ui/pages.ts";

export type { TestOfRun, TestRun };
export type Cause = CauseList["items"][number];
export type Outcome = TestOfRun["outcome"];
export type Change = NonNullable<TestOfRun["change"]>;

export interface TestRunFilters {
  status?: string;
  branch?: string;
  commit?: string;
  pr?: string;
}

/** As many as the server gives at once. */
const MOST = 200;
/** Tests that a page shows; beyond that it says so. */
export const MOST_TESTS = 5000;

export const testRunsApi = {
  list: (filters: TestRunFilters & { cursor?: string | undefined; limit: number }, signal?: AbortSignal) =>
    getJson<Page<TestRun>>(withQuery("/v1/test-runs", filters), signal),
  show: (id: string, signal?: AbortSignal) => getJson<TestRun>(`/v1/test-runs/${id}`, signal),
  causes: (id: string, signal?: AbortSignal) => getJson<CauseList>(`/v1/test-runs/${id}/causes`, signal),
  /** All tests of a run, page by page, as far as they are shown. */
  async tests(id: string, signal?: AbortSignal): Promise<{ items: TestOfRun[]; hasMore: boolean }> {
    const items: TestOfRun[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } = { limit: MOST, ...(cursor !== null && { cursor }) };
      const page: TestList = await getJson(withQuery(`/v1/test-runs/${id}/tests`, query), signal);
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null && items.length < MOST_TESTS);
    return { items, hasMore: cursor !== null };
  },
};
