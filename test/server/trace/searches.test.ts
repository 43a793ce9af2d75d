import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { statement } from "../../helpers/statement.ts";
import { getJson, otherOrg, post } from "../../helpers/traces.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ settings: { rate_limits: { writes_per_minute: 10_000 } } });
});
afterAll(() => app.close());

interface Saved {
  id: string;
  name: string;
  query: string;
  position: number;
}

const all = async () => (await getJson<{ items: Saved[] }>(app, "/v1/saved-searches")).items;
const names = async () => (await all()).map(({ name }) => name);
const save = (name: string, query = "status:failed") => post(app, "/v1/saved-searches", { name, query });
const change = (id: string, body: unknown) =>
  app.api(`/v1/saved-searches/${id}`, {
    method: "PATCH",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

describe("saved searches", () => {
  test("are made, renamed, put in order and removed, and the audit log has it", async () => {
    for (const name of ["Red", "Slow", "Mine"]) expect((await save(name)).status).toBe(201);
    const [red, slow, mine] = await all();
    expect(red).toMatchObject({ name: "Red", query: "status:failed", position: 0 });
    expect((await change(mine!.id, { position: 0 })).status).toBe(200);
    expect(await names()).toEqual(["Mine", "Red", "Slow"]);
    expect((await change(mine!.id, { position: 99, name: "Last" })).status).toBe(200);
    expect(await names()).toEqual(["Red", "Slow", "Last"]);
    expect((await change(slow!.id, { query: "dur:>5s step:pay" })).status).toBe(200);
    expect((await app.api(`/v1/saved-searches/${red!.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await all()).map(({ name, query, position }) => [name, query, position])).toEqual([
      ["Slow", "dur:>5s step:pay", 0],
      ["Last", "status:failed", 1],
    ]);
    expect((await app.api(`/v1/saved-searches/${red!.id}`, { method: "DELETE" })).status).toBe(404);
    const acts = await statement(app.store, "SELECT action FROM audit_events WHERE action LIKE 'saved%'");
    expect(acts).toHaveLength(7);
  });

  test.each([
    [{ name: "Wrong", query: "after:yestrday" }, 400, "yesterday"],
    [{ name: "  ", query: "status:failed" }, 400, "name"],
    [{ name: "a\nb", query: "status:failed" }, 400, "line breaks"],
    [{ name: "Empty", query: " " }, 400, "query"],
    [{ name: "Nul", query: "a\0b" }, 400, "query"],
    [{ name: "Slow", query: "x" }, 409, "already"],
  ])("%j is refused with %d", async (body, status, words) => {
    const before = await all();
    const answer = await post(app, "/v1/saved-searches", body);
    expect(answer.status).toBe(status);
    expect(((await answer.json()) as { message: string }).message).toContain(words);
    expect(await all()).toEqual(before);
  });

  test("two with one name at once: one of them is made", async () => {
    const answers = await Promise.all([save("Race"), save("Race"), save("Race")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test("another org sees, changes and removes none of them", async () => {
    const { api: other } = await otherOrg(app);
    const [mine] = await all();
    const answer = await other("/v1/saved-searches");
    expect(await answer.json()).toEqual({ items: [] });
    expect((await other(`/v1/saved-searches/${mine!.id}`, { method: "DELETE" })).status).toBe(404);
    expect((await app.api("/v1/saved-searches", { headers: { authorization: "" } })).status).toBe(401);
  });

  test("more than a hundred are refused", async () => {
    for (let made = (await all()).length; made < 100; made++) await save(`Search ${made}`);
    const answer = await save("One more");
    expect(answer.status).toBe(409);
    expect(await all()).toHaveLength(100);
  });
});
