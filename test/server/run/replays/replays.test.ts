import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../../../fixtures/app/shop.ts";
import { failOrphanedReplays } from "../../../../server/run/replays/handlers.ts";
import type { ReplayStatus } from "../../../../server/run/replays/model.ts";
import { changeReplay, replaysUnderWay } from "../../../../store/records/replays.ts";
import { readRunLogs } from "../../../../store/records/runs.ts";
import { updateTrace } from "../../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { replayLab } from "../../../helpers/replays.ts";
import { otherOrg, uploadTrace } from "../../../helpers/traces.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(120_000);

/** A target that remembers what it was asked: a page that says what the last order was, and takes orders. */
function startTarget() {
  const asked: string[] = [];
  let sessions = 0;
  const page = (order: string) => `<!doctype html><title>Orders</title><p id="order">${order}</p>
<p id="words"></p><button>Order</button><script src="/assets/app.js"></script>`;
  const script = `
document.getElementById("words").textContent = "All is well";
console.log("clock " + new Date().toISOString());
document.querySelector("button").addEventListener("click", async () => {
  const answer = await fetch("/order", { method: "POST", body: "beans" });
  location.href = (await answer.json()).next;
});
`;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
      asked.push(`${request.method} ${pathname}`);
      const session = /session=(\d+)/.exec(request.headers.get("cookie") ?? "")?.[1];
      if (pathname === "/assets/app.js")
        return new Response(script, { headers: { "content-type": "text/javascript" } });
      if (pathname === "/order") {
        sessions += 1;
        return Response.json(
          { next: "/old" },
          { headers: { "set-cookie": `session=${sessions}; HttpOnly; Path=/` } },
        );
      }
      if (pathname === "/old") return Response.redirect("/orders", 303);
      const order = session ? `Order of session ${session}` : "No order";
      return new Response(page(order), { headers: { "content-type": "text/html" } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, asked, stop: () => server.stop(true) };
}

/** A target that mails a new code to the server that its first page was told, some time after it was asked for one. */
function startMailer() {
  let delay = 300;
  let mail = "";
  let code = 4710;
  const confirmed: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, searchParams, search } = new URL(request.url);
      if (pathname === "/") mail = searchParams.get("mail") ?? "";
      if (pathname === "/code") {
        code += 1;
        const body = JSON.stringify({
          from: "a@shop.test",
          to: "ada@shop.test",
          text: `Your code is ${code}`,
        });
        void Bun.sleep(delay).then(() => fetch(`${mail}/emails`, { method: "POST", body }));
      }
      if (pathname !== "/confirm")
        return new Response("<title>Mails</title>", { headers: { "content-type": "text/html" } });
      const isRight = search === `?${code}`;
      if (isRight) confirmed.push(search);
      return new Response(null, { status: isRight ? 200 : 403 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    confirmed,
    /** From now on its mails take so many ms. */
    dawdle: (ms: number) => {
      delay = ms;
    },
    stop: () => server.stop(true),
  };
}

const ORDERS = [
  'go to "/"',
  'click button "Order"',
  'expect url "/orders"',
  'expect text "Order of session"',
  'go to "/orders"',
  'expect text "Order of session" within 500ms',
];

let app: TestApp;
let lab: ReturnType<typeof replayLab>;
let target: ReturnType<typeof startTarget>;
let shop: Shop;
/** The trace of `ORDERS`. */
let source: string;
beforeAll(async () => {
  app = await testApp();
  lab = replayLab(app);
  target = startTarget();
  shop = startShop();
  source = await lab.record(await lab.scenario("orders", ORDERS), target.url);
});
afterAll(async () => {
  await app.close();
  await target.stop();
  await shop.stop();
});

const SCRIPT_DIFF = `--- a/assets/app.js
+++ b/assets/app.js
@@ -1,3 +1,3 @@
 
-document.getElementById("words").textContent = "All is well";
+document.getElementById("words").textContent = "All is better";
 console.log("clock " + new Date().toISOString());
`;

async function refused(traceId: string, body: unknown) {
  const response = await lab.post(`/v1/traces/${traceId}/replay`, body);
  return { status: response.status, ...((await response.json()) as { error: string; message: string }) };
}

describe("a replay", () => {
  test("is served its past from the source, redirects and sockets too, when the target is gone", async () => {
    const scenario = await lab.scenario("warehouse", [
      'go to "/signin"',
      'fill field "Email" with "ada@example.com"',
      'fill field "Password" with "mornings"',
      'click button "Sign in"',
      'expect text "Hello, Ada"',
      'go to "/stock"',
      'expect text "Up to date"',
      'expect title "In the warehouse"',
    ]);
    const trace = await lab.record(scenario, shop.url);
    await shop.stop();
    const replay = await lab.replay(trace, { from_step: 8 });
    expect(replay).toMatchObject({
      status: "succeeded",
      replay_trace_status: "passed",
      triggered_via: "api",
      trace_id: trace,
      has_edits: false,
      error: null,
    });
    expect(await lab.json(`/v1/traces/${replay.replay_trace_id}`)).toMatchObject({
      parent_trace_id: trace,
      replay_from_step: 8,
      source: "manual",
    });
    const sockets = async (id: string) =>
      (await lab.events(id, "network.websocket_frame")).map(({ direction, size }) => `${direction} ${size}`);
    expect(await sockets(replay.replay_trace_id!)).toEqual(await sockets(trace));
    expect(
      await lab.json(`/v1/traces/diff?a=${trace}&b=${replay.replay_trace_id}&dimension=steps`),
    ).toMatchObject({ first_divergence: null, summary: { same: 8 } });
    expect(((await lab.json(`/v1/traces/${trace}/replays`)) as { items: unknown[] }).items).toEqual([replay]);
  });

  test("asks the target from its first live step on, and for nothing before when it is told so", async () => {
    target.asked.length = 0;
    const replay = await lab.replay(source, { from_step: 5, catch_up: false });
    expect(target.asked).toEqual(["GET /orders", "GET /assets/app.js"]);
    // The session was made by steps that were not live, and recordings hold no cookies.
    expect(replay).toMatchObject({ status: "succeeded", replay_trace_status: "failed" });
    const thoughts = await lab.events(replay.replay_trace_id!, "agent.thought");
    expect(thoughts.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^From here on the replay is live; \d+ requests before/),
    );
  });

  test("brings the target up to date first: with the pages of then, and with what was posted", async () => {
    target.asked.length = 0;
    const replay = await lab.replay(source, { from_step: 5 });
    const sentAgain = ["GET /", "POST /order", "GET /old", "GET /orders"];
    expect(target.asked).toEqual([...sentAgain, "GET /orders", "GET /assets/app.js"]);
    expect(replay).toMatchObject({ status: "succeeded", replay_trace_status: "passed" });
  });

  test("finds in its clones what the target told them anew, and else what they knew then", async () => {
    const mails = startMailer();
    const trace = await lab.record(
      await lab.scenario(
        "mails",
        [
          'go to "/?mail=${clones.email.url}"',
          'request POST "${clones.email.url}/emails" with "{\\"from\\":\\"a@shop.test\\",\\"to\\":\\"us@shop.test\\",\\"text\\":\\"Opened\\"}"',
          'request POST "/code"',
          'request GET "${clones.email.url}/messages?to=ada&wait=5" status 200',
          'request GET "${clones.email.url}/messages?to=ada&wait=5" status 200',
          'set code to response "/0/code"',
          'request GET "/confirm?${vars.code}" status 200',
        ],
        'clones: [{ service: email, match: "https://api.mail.test/**" }]\n',
      ),
      mails.url,
    );
    const replay = await lab.replay(trace, { from_step: 5 });
    expect(replay).toMatchObject({ status: "succeeded", replay_trace_status: "passed" });
    const heard = async (id: string) =>
      (await lab.events(id, "clone.state")).map(({ key, after }) => [key, (after as { to: string[] }).to]);
    expect(await heard(replay.replay_trace_id!)).toEqual(await heard(trace));
    expect(mails.confirmed).toHaveLength(2);
    expect(mails.confirmed[0]).not.toBe(mails.confirmed[1]);
    // Later than what the clones had heard is waited for, yet before the step that asks for it gives up.
    mails.dawdle(2500);
    const late = await lab.replay(trace, { from_step: 5 });
    expect(late).toMatchObject({ status: "succeeded", replay_trace_status: "passed" });
    expect(new Set(mails.confirmed).size).toBe(3);
    await mails.stop();
  });

  test("shows the time of then before it is live, and the present after", async () => {
    const then = Date.parse("2020-02-02T02:02:02Z");
    await updateTrace(app.store.records, source, { started_at: then });
    const replay = await lab.replay(source, { from_step: 5 });
    const said = await lab.events(replay.replay_trace_id!, "console.log");
    const clocks = said.map(({ text, ts }) => {
      const shown = Date.parse(String(text).replace("clock ", ""));
      return Math.abs(shown - ts) < 20_000 ? "present" : new Date(shown).toISOString().slice(0, 10);
    });
    expect(clocks).toEqual(["2020-02-02", "2020-02-02", "present"]);
  });

  test("runs the scenario as its diff changes it", async () => {
    const diff = `@@ -9,2 +9,2 @@
 5. go to "/orders"
-6. expect text "Order of session" within 500ms
+6. expect text "No order"
`;
    expect(
      await lab.replay(source, { from_step: 5, edits: { scenario_diff: diff }, catch_up: false }),
    ).toMatchObject({
      has_edits: true,
      replay_trace_status: "passed",
    });
  });

  test("changes what is served, from the trace and live", async () => {
    const edits = { source_diffs: [{ path: "app.js", diff: SCRIPT_DIFF }] };
    const replay = await lab.replay(source, { from_step: 5, edits });
    expect(replay).toMatchObject({ status: "succeeded", has_edits: true });
    const scripts = (await lab.events(replay.replay_trace_id!, "network.response")).filter(({ url }) =>
      String(url).endsWith("/assets/app.js"),
    );
    expect(scripts).toHaveLength(3);
    for (const { body } of scripts) expect(body).toContain("All is better");
  });

  test("changes what a page of the past had asked for and is answered live", async () => {
    let isAnswering = false;
    const script = 'document.title = "All is well";\n';
    const held = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const { pathname } = new URL(request.url);
        if (pathname === "/app.js")
          return isAnswering
            ? new Response(script, { headers: { "content-type": "text/javascript" } })
            : new Promise<Response>(() => {});
        // After the page has loaded: what is asked for before that is waited for by the step that opens it.
        const page = `<!doctype html><title>Late</title><p>Here</p><script>
addEventListener("load", () => document.body.append(Object.assign(document.createElement("script"), { src: "/app.js" })));
</script>`;
        return new Response(page, { headers: { "content-type": "text/html" } });
      },
    });
    const steps = ['go to "/"', 'expect text "Here"', 'expect title "All is better" within 300ms'];
    const late = await lab.record(await lab.scenario("late", steps), held.url.origin);
    isAnswering = true;
    const diff = `--- a/app.js
+++ b/app.js
@@ -1 +1 @@
-document.title = "All is well";
+document.title = "All is better";
`;
    const edits = { source_diffs: [{ path: "app.js", diff }] };
    const replay = await lab.replay(late, { from_step: 3, edits });
    await held.stop(true);
    expect(replay).toMatchObject({ status: "succeeded", replay_trace_status: "passed" });
  });

  test("fails when a source diff was for nothing or does not fit, and names it", async () => {
    const unknown = { source_diffs: [{ path: "src/cart.ts", diff: SCRIPT_DIFF }] };
    expect(await lab.replay(source, { from_step: 6, edits: unknown })).toMatchObject({
      status: "failed",
      replay_trace_id: expect.any(String),
      error: { reason: "source_not_served", message: expect.stringContaining('"src/cart.ts"') },
    });
    const wrong = { source_diffs: [{ path: "assets/app.js", diff: "@@ -1,1 +1,1 @@\n-nothing\n+all\n" }] };
    expect(await lab.replay(source, { from_step: 6, edits: wrong })).toMatchObject({
      status: "failed",
      error: { message: expect.stringMatching(/"assets\/app.js".*hunk 1/) },
    });
  });

  test("is refused in words: no such step, diffs that do not fit, what is no scenario then", async () => {
    for (const from_step of [0, 7, 1.5])
      expect(await refused(source, { from_step })).toMatchObject({
        status: 400,
        error: "invalid_request",
        message: expect.stringContaining('"from_step"'),
      });
    const edited = (scenario_diff: string) => refused(source, { from_step: 1, edits: { scenario_diff } });
    const good = "@@ -2,2 +2,2 @@\n slug: orders\n-title: orders\n+title: Orders\n";
    const bad = '@@ -5,1 +5,1 @@\n-1. go to "/nowhere"\n+1. go to "/"\n';
    expect(await edited(good + bad)).toMatchObject({
      status: 400,
      message: expect.stringContaining("hunk 2 (@@ -5,1 +5,1 @@)"),
    });
    expect(await edited('@@ -5,1 +5,1 @@\n-1. go to "/"\n+1. fly to "/"\n')).toMatchObject({
      status: 400,
      message: expect.stringContaining("lab.scenario.md:5:4"),
    });
    expect(await edited("@@ -2,1 +2,1 @@\n-slug: orders\n+slug: other\n")).toMatchObject({ status: 400 });
    // Dropped, it would be a replay without the edit that was meant.
    expect(await refused(source, { from_step: 1, edits: { scenario: good } })).toMatchObject({
      status: 400,
      message: `The body's field "edits.scenario" is not known; there are scenario_diff, source_diffs.`,
    });
    const source_diffs = [{ path: "a.js", diff: "no diff" }];
    expect(await refused(source, { from_step: 1, edits: { source_diffs } })).toMatchObject({
      status: 400,
      message: expect.stringContaining("source_diffs.0"),
    });
  });

  test("is refused for a trace that is not hot, of no known scenario, or of another org", async () => {
    await updateTrace(app.store.records, source, { tier: "warm" });
    expect(await refused(source, { from_step: 1 })).toMatchObject({ status: 409, error: "not_hot" });
    await updateTrace(app.store.records, source, { tier: "hot" });
    const { id } = await uploadTrace(app);
    expect(await refused(id, { from_step: 1 })).toMatchObject({ status: 409, error: "conflict" });
    expect(await lab.json(`/v1/traces/${id}/replays`)).toMatchObject({
      items: [],
      scenario: null,
      refusal: expect.stringContaining("No run of this server"),
    });
    const { api } = await otherOrg(app);
    const body = JSON.stringify({ from_step: 1 });
    const headers = { "content-type": "application/json" };
    expect((await api(`/v1/traces/${source}/replay`, { method: "POST", headers, body })).status).toBe(403);
    expect((await app.api(`/v1/replays/${id}`)).status).toBe(404);
  });
});

describe("replays in the queue", () => {
  test("all come to their turn when they are more than there are processes", async () => {
    const short = await lab.record(
      await lab.scenario("short", ['go to "/"', 'expect title "Orders"']),
      target.url,
    );
    const asked: ReplayStatus[] = [];
    for (let at = 0; at < 5; at++)
      asked.push(
        (await (await lab.post(`/v1/traces/${short}/replay`, { from_step: 2 })).json()) as ReplayStatus,
      );
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set(["queued"]));
    await app.runJobs();
    for (const { id } of asked)
      expect(await lab.json(`/v1/replays/${id}`)).toMatchObject({
        status: "succeeded",
        replay_trace_status: "passed",
      });
  });

  test("can be cancelled before and while they are carried out", async () => {
    const scenario = await lab.scenario("waits", ['go to "/"', "wait 1h"]);
    const traceId = await (async () => {
      const run = (await (
        await lab.post("/v1/runs/manual", { scenarioId: scenario, baseUrl: target.url })
      ).json()) as { id: string };
      const work = app.runJobs();
      await until("the log tells of the second step", async () => {
        const logs = await readRunLogs(app.store.records, run.id, { after: -1, limit: 100 });
        return logs.some(({ step_id }) => step_id === "s2");
      });
      await app.api(`/v1/runs/${run.id}/cancel`, { method: "POST" });
      await work;
      return ((await lab.json(`/v1/runs/${run.id}`)) as { trace_id: string }).trace_id;
    })();
    const ask = async () =>
      (await (await lab.post(`/v1/traces/${traceId}/replay`, { from_step: 2 })).json()) as ReplayStatus;
    const queued = await ask();
    expect(await (await lab.post(`/v1/replays/${queued.id}/cancel`, null)).json()).toMatchObject({
      status: "failed",
      error: { reason: "aborted" },
    });
    const running = await ask();
    const work = app.runJobs();
    await until("the replay has its trace", async () => {
      const { replay_trace_id }: ReplayStatus = await lab.json(`/v1/replays/${running.id}`);
      return replay_trace_id !== null;
    });
    await lab.post(`/v1/replays/${running.id}/cancel`, null);
    await work;
    expect(await lab.json(`/v1/replays/${running.id}`)).toMatchObject({
      status: "failed",
      replay_trace_status: "aborted",
      error: { reason: "aborted" },
    });
  });

  test("that were under way when the server died have failed at its next start", async () => {
    const { id } = (await (
      await lab.post(`/v1/traces/${source}/replay`, { from_step: 6 })
    ).json()) as ReplayStatus;
    await changeReplay(app.store.records, id, ["queued"], { status: "running", started_at: 1 });
    await failOrphanedReplays(app.deps);
    await app.runJobs();
    expect(await replaysUnderWay(app.store.records, app.deps.serverId)).toEqual([]);
    expect(await lab.json(`/v1/replays/${id}`)).toMatchObject({
      status: "failed",
      error: { reason: "runner_lost" },
    });
  });
});
