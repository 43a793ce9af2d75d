import type { BegunTestRun, TestList, TestOfRun, TestRun } from "../../server/trace/test-runs/model.ts";
import type { TestApp } from "./app.ts";
import { getJson, post } from "./traces.ts";

/** An attempt as the API takes it: passed, in a.spec.ts, unless `more` says otherwise. */
export const result = (title: string, more: Record<string, unknown> = {}) => ({
  file: "a.spec.ts",
  line: 3,
  title_path: ["cart", title],
  project: "chromium",
  tags: [],
  annotations: [],
  attempt: 1,
  status: "passed",
  expected: "passed",
  duration_ms: 100,
  started_at: "2026-03-01T12:00:00.000Z",
  error: null,
  ...more,
});

export const failure = (title: string, more: Record<string, unknown> = {}) =>
  result(title, { status: "failed", error: { message: `Error: ${title} broke\nat line 3` }, ...more });

export async function begin(t: TestApp, frame: Record<string, unknown> = {}): Promise<BegunTestRun> {
  const response = await post(t, "/v1/test-runs", { started_at: "2026-03-01T12:00:00.000Z", ...frame });
  if (response.status > 201) throw new Error(await response.text());
  return (await response.json()) as BegunTestRun;
}

export async function send(t: TestApp, id: string, results: unknown[]): Promise<void> {
  const response = await post(t, `/v1/test-runs/${id}/results`, { results });
  if (response.status !== 200) throw new Error(await response.text());
}

export async function end(t: TestApp, id: string, body: Record<string, unknown> = {}): Promise<TestRun> {
  const response = await post(t, `/v1/test-runs/${id}/end`, {
    status: "passed",
    ended_at: "2026-03-01T12:01:00.000Z",
    ...body,
  });
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as TestRun;
}

/** A run from begin to end. */
export async function wholeRun(
  t: TestApp,
  results: unknown[],
  frame: Record<string, unknown> = {},
): Promise<string> {
  const { id } = await begin(t, frame);
  await send(t, id, results);
  await end(t, id);
  return id;
}

export const show = (t: TestApp, id: string) => getJson<TestRun>(t, `/v1/test-runs/${id}`);

/** Tests of a run by their last title. */
export async function testsOf(t: TestApp, id: string, query = ""): Promise<Record<string, TestOfRun>> {
  const { items } = await getJson<TestList>(t, `/v1/test-runs/${id}/tests?limit=200&${query}`);
  return Object.fromEntries(items.map((one) => [one.title_path.at(-1)!, one]));
}
