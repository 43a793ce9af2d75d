import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { ReplayList, ReplayStatus } from "../../../../server/run/replays/model.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { replayLab } from "../../../helpers/replays.ts";

setDefaultTimeout(120_000);

let app: TestApp;
let orders: string[];
let site: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  app = await testApp();
  orders = [];
  const html = `<h1>Shop</h1><button onclick="fetch('/orders?tok' + 'en=s3cret-' + 'token', { method: 'POST', body: 'beans' }).then(() => { p.textContent = 'Paid'; })">Pay now</button><p id=p>Open</p>`;
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
      orders.push(`${request.method} ${pathname}`);
      return new Response(request.method === "POST" ? "{}" : html, {
        headers: { "content-type": "text/html" },
      });
    },
  });
});
afterAll(async () => {
  await app.close();
  await site.stop(true);
});

/** This machine under an address that is not among the loopback ones. */
const elsewhere = () => `http://0.0.0.0:${site.port}`;
const STEPS = ['go to "/"', 'click button "Pay now"', 'expect text "Paid"', 'expect text "Shop"'];

async function replayed(base: string, body: Record<string, unknown>, frontmatter = "") {
  const lab = replayLab(app);
  const id = await lab.scenario(
    `pays-${Bun.hash(base + frontmatter)
      .toString(36)
      .slice(0, 6)}`,
    STEPS,
    frontmatter,
  );
  const source = await lab.record(id, base);
  orders.length = 0;
  const asked = (await (
    await lab.post(`/v1/traces/${source}/replay`, { from_step: 4, ...body })
  ).json()) as ReplayStatus;
  await app.runJobs();
  const replay = (await lab.json(`/v1/replays/${asked.id}`)) as ReplayStatus;
  const { events } = (await lab.json(`/v1/traces/${replay.replay_trace_id}/events?kind=agent.thought`)) as {
    events: { text: string; caught_up?: unknown }[];
  };
  const list = (await lab.json(`/v1/traces/${source}/replays`)) as ReplayList;
  const recorded = (await lab.json(`/v1/traces/${replay.replay_trace_id}/events?kind=network.request`)) as {
    events: { method: string; resource_type: string }[];
  };
  const posts = recorded.events.filter(({ method }) => method === "POST");
  const postedBy = posts.map(({ resource_type }) => resource_type);
  return { asked, replay, list, thought: events[0]!, sent: orders.toSorted(), postedBy };
}

test("from behind a payment nothing is ordered again, and the answer, the trace and the list say so", async () => {
  const { asked, replay, list, thought, sent } = await replayed(elsewhere(), {});
  expect(replay.error).toBeNull();
  expect(sent).toEqual(["GET /"]);
  const page = { method: "GET", url: `${elsewhere()}/` };
  const order = { method: "POST", url: expect.stringContaining("/orders?token=") };
  for (const { caught_up } of [asked, replay])
    expect(caught_up).toMatchObject({ sent: [page], left_out: [order] });
  expect(thought.caught_up).toMatchObject({ sent: [page], left_out: [order] });
  expect(thought.text).toContain(`GET ${elsewhere()}/`);
  expect(list.past).toMatchObject([
    { ...page, step: 1, is_sent: true },
    { ...order, step: 2, is_sent: false },
  ]);
  expect(JSON.stringify([replay, list, thought])).not.toContain("s3cret-token");
});

test.each([
  ["when it is asked for", () => elsewhere(), { catch_up: true }, ""],
  ["when the scenario says that it may be", () => elsewhere(), {}, "idempotent: true\n"],
  ["when the target is this machine", () => `http://127.0.0.1:${site.port}`, {}, ""],
])("what was posted is sent again %s", async (_, base, body, frontmatter) => {
  const { replay, sent, postedBy } = await replayed(base(), body, frontmatter);
  expect(sent).toEqual(["GET /", "POST /orders"]);
  // The page's own, which the past answered, and the one that no page sent.
  expect(postedBy).toEqual(["fetch", "api"]);
  expect(replay.caught_up).toMatchObject({ sent: [{ method: "GET" }, { method: "POST" }], left_out: [] });
});

test("with `catch_up: false` nothing is sent", async () => {
  const { replay, sent } = await replayed(`http://127.0.0.1:${site.port}`, { catch_up: false });
  expect(sent).toEqual([]);
  expect(replay.caught_up).toMatchObject({ sent: [], left_out: [{ method: "GET" }, { method: "POST" }] });
});
