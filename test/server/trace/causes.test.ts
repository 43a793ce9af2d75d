import { afterAll, beforeAll, expect, test } from "bun:test";
import type { FailureList } from "../../../server/trace/failures/model.ts";
import type { History, HistoryList } from "../../../server/trace/histories/model.ts";
import { findCauseOf, putCause } from "../../../store/records/causes.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { events } from "../../helpers/bundles.ts";
import { partsOf } from "../../helpers/exported-page.ts";
import { getJson, otherOrg, post, type TraceJson, uploadTrace } from "../../helpers/traces.ts";

interface CauseJson {
  trace_id: string;
  baseline_id: string | null;
  failed_step: { step_id: string; title: string } | null;
  headline: string | null;
  suspects: { rank: number; kind: string; title: string; is_new: boolean | null; events: number[] }[];
  also_when_passing: { title: string; count: number }[];
}

let on: TestApp;
beforeAll(async () => {
  on = await testApp();
});
afterAll(() => on.close());

const START = Date.parse("2026-03-01T11:00:00.000Z");

function told(isFailed: boolean) {
  const request = { request_id: "r1", method: "POST", url: "http://shop.example/api/pay", headers: [] };
  const list = [
    { kind: "network.request", ...request },
    {
      kind: "network.response",
      ...request,
      status: isFailed ? 500 : 200,
      duration_ms: 4,
      body: '{"error":"ledger unavailable"}',
    },
    { kind: "console.error", text: "a warning that is always there" },
    {
      kind: "assertion",
      step_id: "paid",
      ok: !isFailed,
      message: isFailed ? "not paid by 2026-03-01" : "paid",
      title: "It is paid",
      duration_ms: 10,
    },
  ];
  return events(
    list.map((one, at) => JSON.stringify({ seq: at + 1, ts: START + at * 10, ...one })).join("\n"),
  );
}

const upload = async (slug: string, isFailed: boolean, more: Record<string, unknown> = {}) =>
  (
    await uploadTrace(on, {
      slug,
      entries: [told(isFailed)],
      manifest: { status: isFailed ? "failed" : "passed", ...more },
    })
  ).id;
const causeOf = (id: string) => getJson<CauseJson>(on, `/v1/traces/${id}/cause`);

test("a failed trace tells its cause as soon as it is final, against the pass before it", async () => {
  const pass = await upload("pay", false);
  const id = await upload("pay", true);
  const cause = await causeOf(id);
  expect(Object.keys(cause)).toEqual([
    "trace_id",
    "baseline_id",
    "failed_step",
    "headline",
    "suspects",
    "also_when_passing",
  ]);
  expect(cause).toMatchObject({
    trace_id: id,
    baseline_id: pass,
    failed_step: { step_id: "paid", title: "It is paid" },
    headline: "POST /api/pay was answered with 500: ledger unavailable",
    also_when_passing: [{ title: "The page logged the error: a warning that is always there", count: 1 }],
  });
  expect(cause.suspects[0]).toMatchObject({ rank: 1, kind: "request_failed", is_new: true, events: [2, 1] });
  expect(Object.keys(cause.suspects[0]!)).toEqual([
    "rank",
    "kind",
    "title",
    "detail",
    "confidence",
    "step_id",
    "events",
    "is_new",
  ]);
});

test("lists, histories, failures, the trace, the report and the prompt tell the same headline", async () => {
  const id = await upload("everywhere", true);
  const { headline } = await causeOf(id);
  const { items } = await getJson<{ items: TraceJson[] }>(on, "/v1/traces?scenario=everywhere");
  expect(items[0]!.headline).toBe(headline);
  expect((await getJson(on, `/v1/traces/${id}`)).headline).toBe(headline);
  const passed = await upload("everywhere", false);
  const history = await getJson<History>(on, "/v1/histories/everywhere");
  expect(history.items.map((item) => [item.trace_id, item.headline])).toEqual([
    [passed, null],
    [id, headline],
  ]);
  const last = await upload("everywhere", true);
  const histories = await getJson<HistoryList>(on, "/v1/histories?q=everywhere");
  expect(histories.items[0]!.last).toMatchObject({ trace_id: last, headline });
  const failures = await getJson<FailureList>(on, "/v1/failures?scenario=everywhere");
  expect(failures.items.map((group) => group.last_trace)).toMatchObject([{ id: last, headline }]);
  for (const form of ["report.md", "prompt.md"]) {
    const text = await (await on.api(`/v1/traces/${id}/${form}`)).text();
    expect(text).toContain("## Likely cause");
    expect(text).toContain("was answered with 500: ledger unavailable");
  }
});

test("the report and the prompt say when there was no pass to compare with, and to members alone", async () => {
  const alone = await upload("never-passed", true);
  await upload("passed-before", false);
  const compared = await upload("passed-before", true);
  await post(on, `/v1/traces/${alone}/share`, { visibility: "public-read", expires_days: 1 });
  const { short_id } = await getJson(on, `/v1/traces/${alone}`);
  const textOf = async (path: string) => {
    const answer = await on.api(path);
    expect(answer.status).toBe(200);
    return answer.text();
  };
  for (const form of ["report.md", "prompt.md"]) {
    expect(await textOf(`/v1/traces/${alone}/${form}`)).toContain("Told without a pass to compare with.");
    expect(await textOf(`/v1/traces/${compared}/${form}`)).not.toContain("Told without a pass");
  }
  const shared = await textOf(`/r/${short_id}.md`);
  expect(shared).toContain("was answered with 500: ledger unavailable");
  expect(shared).not.toContain("Told without a pass");
});

test("who may open a share reads the cause there", async () => {
  const id = await upload("shared", true);
  await post(on, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 1 });
  const { short_id } = await getJson(on, `/v1/traces/${id}`);
  const answer = await on.api(`/r/${short_id}/cause`, { headers: { authorization: "" } });
  expect(((await answer.json()) as CauseJson).headline).toStartWith("POST /api/pay");
});

test("a trace that passed, and one that is not finished, have no headline and no suspects", async () => {
  expect(await causeOf(await upload("fine", false))).toMatchObject({
    headline: null,
    failed_step: null,
    suspects: [],
    also_when_passing: [],
  });
});

test("without a pass before it nothing is said to be new", async () => {
  const cause = await causeOf(await upload("alone", true));
  expect(cause.baseline_id).toBeNull();
  expect(cause.suspects.map(({ is_new }) => is_new)).toEqual(cause.suspects.map(() => null));
});

test("a cause that an older engine made is told until a job has made it anew", async () => {
  const id = await upload("older", true);
  const row = (await findCauseOf(on.store.records, id))!;
  const old = {
    cause: { failed_step: null, headline: "As it was told", suspects: [], also_when_passing: [] },
    context: null,
  };
  await putCause(on.store.records, {
    ...row,
    engine: 0,
    headline: "As it was told",
    cause: JSON.stringify(old),
  });
  expect((await causeOf(id)).headline).toBe("As it was told");
  await on.runJobs();
  expect((await causeOf(id)).headline).toStartWith("POST /api/pay");
});

test("a trace that nobody has looked at yet is told by its summary at once, and looked at by a job", async () => {
  const id = await upload("unseen", true);
  await on.store.records.deleteFrom("causes").where("trace_id", "=", id).execute();
  const before = await causeOf(id);
  expect(before.headline).toStartWith("POST shop.example/api/pay was answered with 500");
  expect(before.suspects[0]!.events).toEqual([2]);
  await on.runJobs();
  expect((await causeOf(id)).headline).toBe("POST /api/pay was answered with 500: ledger unavailable");
});

test("a run is compared with passes of its own region beside the newest: another region's zone is no news", async () => {
  const east = { region: "east", env: { timezone: "Europe/Berlin" } };
  const west = { region: "west", env: { timezone: "America/New_York" } };
  const kindsOf = async (id: string) => (await causeOf(id)).suspects.map(({ kind }) => kind);
  for (let pass = 0; pass < 4; pass++) await upload("regions", false, west);
  expect(await kindsOf(await upload("regions", true, east))).toContain("time");
  await upload("regions", false, east);
  let newest = "";
  for (let pass = 0; pass < 4; pass++) newest = await upload("regions", false, west);
  const id = await upload("regions", true, east);
  expect(await kindsOf(id)).not.toContain("time");
  expect((await causeOf(id)).baseline_id).toBe(newest);
});

test("a trace without a single event, and one of another org", async () => {
  const { id } = await uploadTrace(on, {
    slug: "empty",
    entries: [events("")],
    manifest: { status: "failed" },
  });
  expect((await causeOf(id)).headline).toBeString();
  const { api } = await otherOrg(on);
  expect((await api(`/v1/traces/${id}/cause`)).status).toBe(403);
  expect((await on.api("/v1/traces/01900000-0000-7000-8000-000000000000/cause")).status).toBe(404);
});

test("a share and what is handed on tell no value of the pass that a failure was compared with", async () => {
  const answering = (email: string, isFailed: boolean) => {
    const request = { request_id: "r1", method: "GET", url: "http://shop.example/api/contact", headers: [] };
    const script = { request_id: "r2", method: "GET", url: "http://shop.example/app.js", headers: [] };
    const list = [
      { kind: "network.request", resource_type: "script", ...script },
      {
        kind: "network.response",
        ...script,
        status: 200,
        media_type: "text/javascript",
        body: `render();\nconst contact = "${email}";\nstart();`,
      },
      { kind: "network.request", ...request },
      {
        kind: "network.response",
        ...request,
        status: 200,
        duration_ms: 4,
        body: JSON.stringify({ email, role: email.split("@")[0] }),
      },
      {
        kind: "assertion",
        step_id: "greeted",
        ok: !isFailed,
        message: isFailed ? `expected the page to greet, and it shows ${email}` : "greeted",
        title: "It greets",
        duration_ms: 10,
      },
    ];
    return events(
      list.map((one, at) => JSON.stringify({ seq: at + 1, ts: START + at * 10, ...one })).join("\n"),
    );
  };
  const send = async (email: string, isFailed: boolean) =>
    (
      await uploadTrace(on, {
        slug: "greeting",
        entries: [answering(email, isFailed)],
        manifest: { status: isFailed ? "failed" : "passed" },
      })
    ).id;
  /** Markdown without its backslashes. */
  const unescaped = (text: string) => text.replace(/\\([!-/:-@[-`{-~])/g, "$1");
  await send("gone@customer.example", false);
  const id = await send("fresh@customer.example", true);
  await on.runJobs();
  const told = await (await on.api(`/v1/traces/${id}/cause`)).text();
  expect(told).toContain("gone@customer.example");
  for (const form of ["report.md", "prompt.md"])
    expect(unescaped(await (await on.api(`/v1/traces/${id}/${form}`)).text())).toContain(
      "gone@customer.example",
    );

  await post(on, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 1 });
  const { short_id } = await getJson(on, `/v1/traces/${id}`);
  const stranger = { headers: { authorization: "", accept: "text/html" } };
  const texts: Record<string, string> = {};
  for (const path of ["/cause", "/report.md", ".md", "", "/embed"])
    texts[path] = await (await on.api(`/r/${short_id}${path}`, stranger)).text();
  const exported = await (await on.api(`/v1/traces/${id}/export.html`)).text();
  for (const part of ["meta", "report", "prompt"])
    texts[`export.html ${part}`] = partsOf(exported).get(part)!.toString();
  for (const [path, escaped] of Object.entries(texts)) {
    const text = unescaped(escaped);
    expect([path, text.includes("gone@"), text.includes("“gone”")]).toEqual([path, false, false]);
    expect([path, text.includes("/api/contact answered something else than in the last pass")]).toEqual([
      path,
      true,
    ]);
  }
  const shared = JSON.parse(texts["/cause"]!) as CauseJson;
  const own = JSON.parse(told) as CauseJson;
  expect(shared.baseline_id).toBeNull();
  expect(shared.suspects.map(({ kind, events }) => [kind, events])).toEqual(
    own.suspects.map(({ kind, events }) => [kind, events]),
  );
});

test("by a share, what an older engine kept is not told: it may hold values of the pass", async () => {
  const id = await upload("older-shared", true);
  const row = (await findCauseOf(on.store.records, id))!;
  const old = {
    cause: {
      failed_step: null,
      headline: "The last pass had “gone@customer.example”",
      suspects: [],
      also_when_passing: [],
    },
    context: null,
  };
  await putCause(on.store.records, { ...row, engine: 3, cause: JSON.stringify(old) });
  await post(on, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 1 });
  const { short_id } = await getJson(on, `/v1/traces/${id}`);
  const answer = await on.api(`/r/${short_id}/cause`, { headers: { authorization: "" } });
  const { headline } = (await answer.json()) as CauseJson;
  expect(headline).toStartWith("POST shop.example/api/pay was answered with 500");
});
