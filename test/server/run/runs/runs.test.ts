import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../../../fixtures/app/shop.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import { executeRun } from "../../../../server/run/runs/execute.ts";
import { failOrphanedRuns } from "../../../../server/run/runs/handlers.ts";
import type { RegionList } from "../../../../server/run/runs/model.ts";
import { sweepLostRuns } from "../../../../server/run/runs/record.ts";
import { changeRun, findRun } from "../../../../store/records/runs.ts";
import { setScenarioFile, upsertScenario } from "../../../../store/records/scenarios.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(120_000);

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await testApp();
  shop = startShop();
});
afterAll(async () => {
  await app.close();
  await shop.stop();
});

async function scenario(slug: string, steps: string[]): Promise<string> {
  const text = `---\nslug: ${slug}\ntitle: ${slug}\n---\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}`;
  const compiled = compileScenario({ name: `${slug}.scenario.md`, text }, () => null).scenario;
  const now = app.deps.clock.now();
  const { id } = await upsertScenario(app.deps.store.records, {
    id: app.deps.ids.uuid(),
    orgId: app.orgId,
    slug,
    title: slug,
    now,
  });
  await setScenarioFile(app.deps.store.records, id, {
    title: slug,
    path: `${slug}.scenario.md`,
    source: text,
    compiled: JSON.stringify(compiled),
    now,
  });
  return id;
}

async function ask(body: unknown): Promise<{ status: number; run: Record<string, unknown> }> {
  const response = await app.api("/v1/runs/manual", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, run: (await response.json()) as Record<string, unknown> };
}
/** Without a credential. */
const openly = (url: string, method = "GET") =>
  app.app.handle(new Request(new URL(url, "http://localhost"), { method, headers: { host: "localhost" } }));
const read = async (path: string) => (await (await app.api(path)).json()) as Record<string, unknown>;

/** Until the log of a run tells of a step. */
const untilStep = (id: string, step: string) =>
  until(`the log of a run tells of ${step}`, async () => {
    const log = app.deps.store.records.selectFrom("run_logs").select("step_id").where("run_id", "=", id);
    return (await log.execute()).some(({ step_id }) => step_id === step);
  });

describe("a manual run", () => {
  test("is queued, carried out in a process of its own, and leaves its trace and log", async () => {
    const id = await scenario("buys", ['go to "/"', 'click testid "add-beans"', 'expect text "Cart (1)"']);
    const { status, run } = await ask({ scenarioId: id, baseUrl: shop.url });
    expect(status).toBe(202);
    expect(run).toMatchObject({
      type: "manual",
      status: "queued",
      scenario_slug: "buys",
      region: "us-east-1",
      trigger: "api",
    });
    const kept = await findRun(app.deps.store.records, String(run.id));
    expect(JSON.parse(kept!.plan)).toMatchObject({ source: expect.stringContaining('1. go to "/"') });
    await app.runJobs();
    const ended = await read(`/v1/runs/${run.id}`);
    expect(ended).toMatchObject({ status: "passed", error: null });
    expect(await read(`/v1/traces/${ended.trace_id}`)).toMatchObject({
      status: "passed",
      run_id: run.id,
      source: "manual",
    });
    const log = await (await app.api(`/v1/runs/${run.id}/logs`)).text();
    expect(log).toContain('"message":"go to \\"/\\""');
    expect((await app.api(`/v1/runs/${run.id}/logs?after=100`)).status).toBe(204);
    const links: Record<string, { status: number; body: Record<string, unknown> }> = {};
    for (const kind of ["screenshot", "video", "har", "trace", "rrweb", "report", "log"]) {
      const answer = await app.api(`/v1/runs/${run.id}/artifacts/${kind}`);
      links[kind] = { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    }
    // A video is made by the ffmpeg of the machine, where there is one.
    if (Bun.which("ffmpeg")) expect(links.video).toMatchObject({ status: 200 });
    else
      expect(links.video).toEqual({
        status: 404,
        body: { error: "not_found", message: 'The artifact "video" of this run does not exist.' },
      });
    expect((await app.api(`/v1/runs/${run.id}/artifacts/soup`)).status).toBe(422);
    for (const [kind, type] of Object.entries({
      screenshot: "image/",
      har: "application/json",
      trace: "application/zip",
      rrweb: "application/zstd",
      report: "text/markdown",
      log: "text/plain",
    })) {
      const { url, content_type, size_bytes, expires_at } = links[kind]!.body;
      expect(String(content_type)).toStartWith(type);
      expect(Date.parse(String(expires_at))).toBeGreaterThan(app.deps.clock.now());
      const file = await openly(String(url));
      expect([kind, file.status]).toEqual([kind, 200]);
      expect((await file.bytes()).length).toBe(Number(size_bytes));
    }
    const logUrl = new URL(String(links.log!.body.url));
    expect(await (await openly(logUrl.href)).text()).toContain('info s1 go to "/"\n');
    logUrl.pathname = logUrl.pathname.replace("run.log", "run.har");
    expect((await openly(logUrl.href)).status).toBe(403);
    expect((await read("/v1/runs?status=passed&scenario=buys")).items).toMatchObject([{ id: run.id }]);
  });

  test("fails with its step's message and signature", async () => {
    await scenario("fails", ['go to "/"', 'expect text "Sold out" within 200ms']);
    const { run } = await ask({ scenarioId: "fails", baseUrl: shop.url });
    await app.runJobs();
    const ended = await read(`/v1/runs/${run.id}`);
    const { headline } = ended;
    expect(headline).toContain("Sold out");
    expect((await read(`/v1/traces/${ended.trace_id}/cause`)).headline).toBe(headline);
    expect((await read("/v1/runs?scenario=fails")).items).toMatchObject([{ headline }]);
    expect(ended).toMatchObject({
      status: "failed",
      failure_signature: expect.stringMatching(/^sig_/),
      error: { reason: null, message: expect.stringContaining("Sold out") },
    });
  });

  test("can be cancelled before and while it runs", async () => {
    await scenario("waits", ['go to "/"', "wait 1h"]);
    const queued = await ask({ scenarioId: "waits", baseUrl: shop.url });
    expect(
      await (await app.api(`/v1/runs/${queued.run.id}/cancel`, { method: "POST" })).json(),
    ).toMatchObject({ status: "aborted" });
    const { run } = await ask({ scenarioId: "waits", baseUrl: shop.url });
    const work = app.runJobs();
    await untilStep(String(run.id), "s2");
    await app.api(`/v1/runs/${run.id}/cancel`, { method: "POST" });
    await work;
    const ended = await read(`/v1/runs/${run.id}`);
    expect(ended).toMatchObject({ status: "aborted" });
    expect(await read(`/v1/traces/${ended.trace_id}`)).toMatchObject({ status: "aborted" });
  });

  test("shows its page as it goes on, to whoever looks, the newest picture first", async () => {
    await scenario("pictured", ['go to "/"', 'go to "/cart"', "wait 1h"]);
    const { run } = await ask({ scenarioId: "pictured", baseUrl: shop.url });
    const id = String(run.id);
    const stream = await app.api(`/v1/runs/${id}/pictures`);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const work = app.runJobs();
    let told = "";
    while (!told.includes("data: ")) told += (await reader.read()).value ?? "";
    const { seq, ts, url } = JSON.parse(/data: (.*)\n/.exec(told)![1]!) as {
      seq: number;
      ts: string;
      url: string;
    };
    expect(Date.parse(ts)).toBeGreaterThan(0);
    const picture = await openly((await app.api(url)).headers.get("location")!);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    await untilStep(id, "s3");
    await app.api(`/v1/runs/${id}/cancel`, { method: "POST" });
    await work;
    // It ends with the run.
    for (let part = await reader.read(); !part.done; part = await reader.read()) told += part.value;
    const seqs = [...told.matchAll(/"seq":(\d+)/g)].map(([, text]) => Number(text));
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
    const [first] = (await (await app.api(`/v1/runs/${id}/pictures?after=${seq - 1}`)).text()).match(
      /data: .*/,
    )!;
    expect(first).toContain(`"seq":${seqs.at(-1)},`);
    expect((await app.api(`/v1/runs/${id}/pictures?after=${seqs.at(-1)}`)).status).toBe(204);
    expect((await app.api(`/v1/runs/${id}/pictures?after=x`)).status).toBe(422);
  });

  test("tells all over one connection: its changes, its log and its page, and goes on where a reader was", async () => {
    await scenario("told", ['go to "/"', 'go to "/cart"', "wait 1h"]);
    const { run } = await ask({ scenarioId: "told", baseUrl: shop.url });
    const id = String(run.id);
    const before = app.deps.hub.subscriberCount();
    const reader = (await app.api(`/v1/runs/${id}/live`))
      .body!.pipeThrough(new TextDecoderStream())
      .getReader();
    const work = app.runJobs();
    let text = "";
    while (!text.includes('"type":"picture"')) text += (await reader.read()).value ?? "";
    await untilStep(id, "s3");
    await app.api(`/v1/runs/${id}/cancel`, { method: "POST" });
    await work;
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    expect(app.deps.hub.subscriberCount()).toBe(before);
    type News = { type: string; id?: string; line?: { seq: number }; picture?: { seq: number } };
    const news = [...text.matchAll(/data: (.*)\n/g)].map(([, json]) => JSON.parse(json!) as News);
    expect(new Set(news.map(({ type }) => type))).toEqual(new Set(["run.changed", "line", "picture"]));
    expect(news.every((one) => one.id === undefined || one.id === id)).toBe(true);
    const log = await (await app.api(`/v1/runs/${id}/logs`)).text();
    const lines = news.flatMap(({ line }) => (line ? [line] : []));
    expect(lines).toEqual([...log.matchAll(/data: (.*)\n/g)].map(([, json]) => JSON.parse(json!)));
    const last = { line: lines.at(-1)!.seq, picture: news.findLast(({ picture }) => picture)!.picture!.seq };
    const rest = async (after: typeof last) =>
      app.api(`/v1/runs/${id}/live?after_line=${after.line}&after_picture=${after.picture}`);
    expect((await rest(last)).status).toBe(204);
    const [one, ...others] = [
      ...(await (await rest({ ...last, line: last.line - 1 })).text()).matchAll(/data: (.*)\n/g),
    ];
    expect([JSON.parse(one![1]!), others]).toEqual([{ type: "line", line: lines.at(-1) }, []]);
    expect((await app.api(`/v1/runs/${id}/live?after_line=x`)).status).toBe(422);
  });

  test("whose server stops is lost, not cancelled", async () => {
    await scenario("stopped", ['go to "/"', "wait 1h"]);
    const { run } = await ask({ scenarioId: "stopped", baseUrl: shop.url });
    const stopping = new AbortController();
    const shutdown = { id: "job", signal: stopping.signal, heartbeat: async () => {} };
    const work = executeRun(app.deps, app.deps.runState.runs, String(run.id), shutdown);
    await untilStep(String(run.id), "s2");
    stopping.abort();
    await work;
    // It is final with its trace.
    await app.runJobs();
    const ended = await read(`/v1/runs/${run.id}`);
    expect(ended.status).toBe("error");
    expect((ended.error as { reason: string }).reason).toBe("runner_lost");
    await app.runJobs();
    expect(await read(`/v1/traces/${ended.trace_id}`)).toMatchObject({ status: "aborted" });
  });

  test("is told of to whoever follows the list", async () => {
    await scenario("followed", ['go to "/"']);
    const live = await app.api("/v1/runs/live");
    const reader = live.body!.pipeThrough(new TextDecoderStream()).getReader();
    await reader.read();
    const { run } = await ask({ scenarioId: "followed", baseUrl: shop.url });
    expect((await reader.read()).value).toBe(`data: {"type":"run.changed","id":"${run.id}"}\n\n`);
    await reader.cancel();
    await app.api(`/v1/runs/${run.id}/cancel`, { method: "POST" });
  });

  test("whose server died is lost: it is an error at the next start, and never runs again", async () => {
    await scenario("lost", ['go to "/"']);
    const { run } = await ask({ scenarioId: "lost", baseUrl: shop.url });
    await changeRun(app.deps.store.records, String(run.id), ["queued"], { status: "running", started_at: 1 });
    await failOrphanedRuns(app.deps);
    await app.runJobs();
    expect(await read(`/v1/runs/${run.id}`)).toMatchObject({
      status: "error",
      error: { reason: "runner_lost" },
      trace_id: null,
    });
  });

  test("whose server died before it noted its trace is lost with that trace", async () => {
    await scenario("unnoted", ['go to "/"']);
    const { run } = await ask({ scenarioId: "unnoted", baseUrl: shop.url });
    const id = String(run.id);
    await changeRun(app.deps.store.records, id, ["queued"], { status: "running", started_at: 1 });
    const manifest = { version: 1, scenario: { slug: "unnoted" }, source: "manual", run_id: id };
    const { trace_id } = (await (await post("/internal/v1/traces", manifest)).json()) as { trace_id: string };
    await failOrphanedRuns(app.deps);
    await app.runJobs();
    expect(await read(`/v1/runs/${id}`)).toMatchObject({ status: "error", trace_id });
    expect(await read(`/v1/traces/${trace_id}`)).toMatchObject({ status: "aborted" });
  });

  test("is refused in words: no scenario, nothing to run, no target, wrong fields", async () => {
    expect((await ask({ scenarioId: "none" })).status).toBe(404);
    const bare = await scenario("bare", ['go to "/"']);
    expect(await ask({ scenarioId: bare })).toMatchObject({
      status: 422,
      run: { error: "validation_failed" },
    });
    for (const baseUrl of ["ftp://x", "localhost:4180", "http://", "http://a b", "https:4180"])
      expect(await ask({ scenarioId: bare, baseUrl })).toMatchObject({
        status: 422,
        run: {
          error: "validation_failed",
          message: expect.stringContaining('"baseUrl" must be an http(s) address, such as'),
        },
      });
    expect((await ask({})).status).toBe(422);
    await scenario("somewhere", ['go to "/"']);
    // Dropped, it would run against the target that the file names.
    expect(await ask({ scenarioId: "somewhere", base_url: shop.url })).toMatchObject({
      status: 422,
      run: {
        message: `The body's field "base_url" is not known; there are scenarioId, region, baseUrl, type.`,
      },
    });
    expect(await ask({ scenarioId: "somewhere", baseUrl: shop.url, region: "mars-1" })).toMatchObject({
      status: 422,
      run: {
        error: "validation_failed",
        message: expect.stringContaining(
          '"region": The plan "team" has no region "mars-1". There are us-east-1,',
        ),
      },
    });
    expect((await app.api("/v1/runs?cursor=zzz")).status).toBe(422);
    const reversed = await app.api("/v1/runs?from=2026-12-01T00:00:00Z&to=2026-01-01T00:00:00Z");
    expect([reversed.status, await reversed.json()]).toMatchObject([
      422,
      { message: expect.stringContaining('"from"') },
    ]);
  });
});

const post = (path: string, body: unknown) =>
  app.api(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("a run that another process carries out", () => {
  const begin = async (slug: string) => {
    const answer = await post("/internal/v1/runs", {
      scenario: { slug, title: slug, steps: [] },
      source: "…",
      region: "us-east-1",
    });
    expect(answer.status).toBe(201);
    return (await answer.json()) as { run: { id: string }; fingerprints: Record<string, unknown> };
  };
  const element = {
    tag: "button",
    role: null,
    testid: "pay",
    id: null,
    control: null,
    label: null,
    name: "Pay",
    placeholder: null,
    heading: null,
    alone: false,
    path: "html > body > button",
  };

  test("is in the list from its beginning, with its log; what a pass saw of its elements is given to the next", async () => {
    const { run, fingerprints } = await begin("outside");
    expect(run).toMatchObject({
      type: "manual",
      trigger: "cli",
      status: "running",
      scenario_slug: "outside",
    });
    expect(fingerprints).toEqual({});
    const lines = [{ ts: 1_000, level: "info", message: "hello", step_id: "s1" }];
    expect((await post(`/internal/v1/runs/${run.id}/progress`, { lines })).status).toBe(200);
    const end = {
      status: "passed",
      error: null,
      healed: [{ step_id: "s1", from: "a", to: "b", why: "c" }],
      fingerprints: { 'testid "pay"': element },
    };
    const ended = await post(`/internal/v1/runs/${run.id}/end`, end);
    expect(await ended.json()).toMatchObject({ status: "passed", healed: end.healed });
    const again = await post(`/internal/v1/runs/${run.id}/end`, { ...end, status: "failed" });
    expect(await again.json()).toMatchObject({ status: "passed" });
    expect(await (await app.api(`/v1/runs/${run.id}/logs`)).text()).toContain('"message":"hello"');
    expect((await begin("outside")).fingerprints).toEqual({ 'testid "pay"': element });
  });

  test("learns by the answer that it was cancelled; one that falls silent is lost", async () => {
    const { run } = await begin("cancelled");
    await app.api(`/v1/runs/${run.id}/cancel`, { method: "POST" });
    const answer = await post(`/internal/v1/runs/${run.id}/progress`, { lines: [] });
    expect(await answer.json()).toMatchObject({ status: "aborted" });
    const silent = await begin("silent");
    const { id } = silent.run;
    await sweepLostRuns(app.deps).run();
    expect(await read(`/v1/runs/${id}`)).toMatchObject({ status: "running" });
    await changeRun(app.deps.store.records, id, ["running"], { started_at: 1 });
    await sweepLostRuns(app.deps).run();
    expect(await read(`/v1/runs/${id}`)).toMatchObject({ status: "error", error: { reason: "runner_lost" } });
  });

  test("is refused in words when its sender may not, or says something that cannot be", async () => {
    const { run } = await begin("refused");
    const foreign = await post(`/internal/v1/runs/${run.id}/progress`, { lines: [], trace_id: run.id });
    expect(foreign.status).toBe(400);
    expect(await foreign.json()).toMatchObject({ message: expect.stringContaining('"trace_id"') });
    expect((await post("/internal/v1/runs", { scenario: {}, region: "us-east-1" })).status).toBe(400);
    const elsewhere = { scenario: { slug: "x", title: "x", steps: [] }, source: "…", region: "mars-1" };
    const nowhere = await post("/internal/v1/runs", elsewhere);
    expect([nowhere.status, await nowhere.json()]).toMatchObject([
      400,
      { message: expect.stringContaining('The plan "team" has no region "mars-1"') },
    ]);
    const begun = { ...elsewhere, region: "us-east-1", base_url: "http://a b" };
    const noAddress = await post("/internal/v1/runs", begun);
    expect([noAddress.status, await noAddress.json()]).toMatchObject([
      400,
      { message: expect.stringContaining('"base_url" must be an http(s) address') },
    ]);
    const bare = await openly("/internal/v1/runs", "POST");
    expect(bare.status).toBe(401);
  });
});

test("the regions that a run may name are the hosted ones and those of settings.json, the usual one marked", async () => {
  const own = await testApp({
    settings: {
      regions: {
        "eu-west-1": { locale: "en-IE", timezone: "Europe/Dublin" },
        lab: { proxy: "http://who:secret@proxy.test" },
      },
    },
  });
  const answer = await own.api("/v1/runs/regions");
  const text = await answer.text();
  expect(text).not.toContain("secret");
  const { items } = JSON.parse(text) as RegionList;
  expect(items.map(({ name }) => name)).toEqual(["us-east-1", "eu-west-1", "ap-south-1", "lab"]);
  expect(items.filter(({ is_default }) => is_default).map(({ name }) => name)).toEqual(["us-east-1"]);
  expect(items[1]).toEqual({
    name: "eu-west-1",
    is_default: false,
    locale: "en-IE",
    timezone: "Europe/Dublin",
  });
  expect(items[3]).toMatchObject({ locale: null, timezone: null });
  await own.close();
});
