import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addStepsAndKinds } from "../../../store/records/search.ts";
import { LOOKED_AT } from "../../../store/records/trace-list.ts";
import { insertTrace, traceOrd } from "../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, events } from "../../helpers/bundles.ts";
import { statement } from "../../helpers/statement.ts";
import { getJson, runPeriodic, type TraceJson, uploadTrace } from "../../helpers/traces.ts";

setDefaultTimeout(120_000);

let app: TestApp;
let first: string;
let second: string;

interface Page {
  items: TraceJson[];
  next_cursor: string | null;
}

const action = (title: string) => ({
  kind: "agent.action",
  step_id: "s1",
  name: title,
  params: {},
  duration_ms: 5,
});

beforeAll(async () => {
  app = await testApp({ settings: { rate_limits: { reads_per_minute: 100_000 } } });
  const cart = eventLines(4, (seq) => (seq === 1 ? action("Add to cart") : {}));
  const pay = eventLines(4, (seq) => (seq === 2 ? action("Pay the order") : {}));
  first = (
    await uploadTrace(app, {
      entries: [events(cart)],
      manifest: { region: "eu-west-1" },
      fields: { commit_sha: "4d07b3f1c2", pr_number: "482", source: "pr" },
    })
  ).id;
  second = (await uploadTrace(app, { entries: [events(pay)], manifest: { status: "failed" } })).id;
});
afterAll(() => app.close());

const found = async (query: string) =>
  (await getJson<Page>(app, `/v1/traces?${query}`)).items.map(({ id }) => id);

describe("GET /v1/traces by what its tokens mean", () => {
  test.each([
    ["step=cart", () => [first]],
    ["step=%22pay+the%22", () => [second]],
    ["step=cart&status=failed", () => []],
    ["kind=agent.action", () => [second, first]],
    ["kind=agent.*", () => [second, first]],
    ["kind=network.*", () => []],
    ["not_status=failed", () => [first]],
    ["not_status=failed&not_source=pr", () => []],
    ["not_tier=cold&step=order", () => [second]],
    ["pr=482", () => [first]],
    ["pr=48", () => []],
    ["code_sha=4D07b", () => [first]],
    ["region=EU-west-1", () => [first]],
    ["min_size=1", () => [second, first]],
    ["max_size=1", () => []],
    ["min_duration_ms=0&max_duration_ms=100000000&q=order", () => [second]],
    ["step=!!", () => []],
  ])("%s", async (query, wanted) => {
    expect(await found(query)).toEqual(wanted());
  });

  test.each([
    ["pr=abc", "pr"],
    ["code_sha=4d", "code_sha"],
    ["kind=a*b", "kind"],
    ["kind=a,b", "kind"],
    ["min_duration_ms=-1", "min_duration_ms"],
    ["not_status=fine", "not_status"],
    ["step=a%00b", "step"],
  ])("%s is refused by the parameter's name", async (query, name) => {
    const answer = await app.api(`/v1/traces?${query}`);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { message: string }).message).toContain(name);
  });

  test("traces of before are found by their steps and kinds once the task was there", async () => {
    const { records } = app.store;
    await addStepsAndKinds(records, traceOrd(first), { steps: "", kinds: [] });
    await statement(app.store, "UPDATE traces SET search_version = 0 WHERE id = ?", first);
    expect(await found("step=cart")).toEqual([]);
    await runPeriodic(app, "search index");
    expect(await found("step=cart")).toEqual([first]);
    expect(await found("kind=agent.action&code_sha=4d07b3f")).toEqual([first]);
  });

  test("a rare duration is found by pages that look at a bounded number of traces each", async () => {
    const { records } = app.store;
    const { scenario_id } = await getJson<TraceJson>(app, `/v1/traces/${first}`);
    const ids: string[] = [];
    await statement(app.store, "PRAGMA synchronous = OFF");
    await records.transaction().execute(async (within) => {
      for (let made = 0; made < LOOKED_AT + 5; made++) {
        const id = app.deps.ids.uuid();
        ids.push(id);
        await insertTrace(within, {
          id,
          org_id: app.orgId,
          short_id: app.deps.ids.shortId(),
          scenario_id: String(scenario_id),
          scenario_slug: "many",
          scenario_title: "many",
          status: "aborted",
          tier: "hot",
          duration_ms: made < 2 ? 777_000 : 5,
        });
      }
    });
    const query = "status=aborted&min_duration_ms=777000&max_duration_ms=777000";
    const page = await getJson<Page>(app, `/v1/traces?${query}`);
    expect(page.items).toEqual([]);
    const rest = await getJson<Page>(app, `/v1/traces?${query}&cursor=${page.next_cursor}`);
    expect(rest.items.map(({ id }) => id)).toEqual([ids[1]!, ids[0]!]);
    expect(rest.next_cursor).toBeNull();
  });
});
