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
/** Tests that a page shows before it asks whether more are wanted. */
export const MOST_TESTS = 5000;

export const testRunsApi = {
  list: (filters: TestRunFilters & { cursor?: string | undefined; limit: number }, signal?: AbortSignal) =>
    getJson<Page<TestRun>>(withQuery("/v1/test-runs", filters), signal),
  show: (id: string, signal?: AbortSignal) => getJson<TestRun>(`/v1/test-runs/${id}`, signal),
  causes: (id: string, signal?: AbortSignal) => getJson<CauseList>(`/v1/test-runs/${id}/causes`, signal),
  /** So many tests of a run after a cursor, page by page. */
  async tests(
    id: string,
    { after, most }: { after: string | null; most: number },
    signal?: AbortSignal,
  ): Promise<{ items: TestOfRun[]; next: string | null }> {
    const items: TestOfRun[] = [];
    let cursor = after;
    do {
      const query: { limit: number; cursor?: string } = { limit: MOST, ...(cursor !== null && { cursor }) };
      const page: TestList = await getJson(withQuery(`/v1/test-runs/${id}/tests`, query), signal);
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null && items.length < most);
    return { items, next: cursor };
  },
};
