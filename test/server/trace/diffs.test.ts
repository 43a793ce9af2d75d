import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { updateTrace } from "../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, events, sha256, uploadForm, zstd } from "../../helpers/bundles.ts";
import { eventsPath, getJson, otherOrg, uploadTrace } from "../../helpers/traces.ts";

interface Answer {
  a: string;
  b: string;
  dimension: string;
  first_divergence: { dimension: string; key: string; change: string; [field: string]: unknown } | null;
  summary: { added: number; removed: number; changed: number; same: number };
  items: {
    key: string;
    change: string;
    a?: Record<string, unknown>;
    b?: Record<string, unknown>;
    detail?: { differences?: { path: string; a?: unknown; b?: unknown }[]; [field: string]: unknown };
  }[];
}

const fixtures = join(import.meta.dir, "..", "..", "..", "fixtures");
const NOBODY = "01900000-0000-7000-8000-000000000000";

let on: TestApp;
let passed: string;
let failed: string;
beforeAll(async () => {
  on = await testApp();
  passed = await ingest("playwright/v10-runner-passing/trace.zip");
  failed = await ingest("playwright/v10-runner-failing/trace.zip");
});
afterAll(() => on.close());

async function ingest(path: string): Promise<string> {
  const form = uploadForm(await readFile(join(fixtures, path)));
  const response = await on.api("/v1/traces/ingest", { method: "POST", body: form });
  const { trace_id } = (await response.json()) as { trace_id: string };
  await on.runJobs();
  return trace_id;
}

const path = (a: string, b: string, dimension?: string) =>
  `/v1/traces/diff?a=${a}&b=${b}${dimension ? `&dimension=${dimension}` : ""}`;
const diff = (dimension?: string, [a, b] = [passed, failed]) => getJson<Answer>(on, path(a, b, dimension));
const told = ({ items }: Answer) =>
  items.filter(({ change }) => change !== "same").map(({ key, change }) => `${change} ${key}`);

describe("a checkout that failed against one that passed", () => {
  test("the answer has the documented fields and no others", async () => {
    const answer = await diff();
    expect(Object.keys(answer).sort()).toEqual([
      "a",
      "b",
      "dimension",
      "first_divergence",
      "items",
      "summary",
    ]);
    expect(answer).toMatchObject({ a: passed, b: failed, dimension: "overview" });
    expect(Object.keys(answer.summary).sort()).toEqual(["added", "changed", "removed", "same"]);
    expect(answer.items.map(({ key }) => key)).toEqual(["steps", "network", "dom", "clone", "console"]);
  });

  test("steps: the assertion that failed, at its place in both traces", async () => {
    const answer = await diff("steps");
    const heading = answer.items.find(({ detail }) => detail?.now === "failing")!;
    expect(heading.key).toContain("getByRole('heading'");
    expect(heading.detail!.differences![0]).toEqual({ path: "/status", a: "passed", b: "failed" });
    for (const [id, side] of [
      [passed, heading.a!],
      [failed, heading.b!],
    ] as const) {
      const { events } = await getJson<{ events: Record<string, unknown>[] }>(
        on,
        `/v1/traces/${id}/events?step=${side.step_id}&kind=assertion`,
      );
      expect(events[0]).toMatchObject({ seq: side.seq, ts: side.ts, step_id: side.step_id });
    }
    expect(answer.first_divergence?.key).toBe("Navigate /");
  });

  test("network: what fails now, what was never asked for", async () => {
    const answer = await diff("network");
    expect(told(answer)).toEqual([
      "changed GET /?mode=*",
      "changed GET /api/recommendations",
      "changed POST /api/checkout",
      "removed GET /orders/SM-<id>",
      "removed GET /shop.css",
    ]);
    const checkout = answer.items.find(({ key }) => key === "POST /api/checkout")!;
    expect(checkout.detail).toEqual({
      differences: [{ path: "/status", a: 200, b: 500 }],
      now: "failing",
    });
  });

  test("dom: elements of the archives' pages, and the page that was not reached", async () => {
    const answer = await diff("dom");
    expect(told(answer)).toContain("removed p[id=recommended]");
    const page = answer.items.findLast(({ key }) => key === "page")!;
    expect(page.a!.url).toEndWith("/orders/SM-1001");
    expect(page.b!.url).toEndWith("/checkout");
    expect(page.a!.snapshot).toStartWith("after@");
  });

  test("console: the lines that only the failed one has", async () => {
    expect(told(await diff("console"))).toContain(
      "added console.error checkout failed: ledger unavailable (500)",
    );
  });

  test.each(["overview", "steps", "network", "dom", "clone", "console"])(
    "%s of a trace with itself",
    async (one) => {
      const answer = await diff(one, [failed, failed]);
      expect(answer.first_divergence).toBeNull();
      expect(answer.summary).toMatchObject({ added: 0, removed: 0, changed: 0 });
    },
  );
});

test("a bundle that tells of every kind: clones and faults are compared, pages and bodies read from blobs", async () => {
  const every = await ingest("bundles/checkout-every-kind/bundle.tar.zst");
  const clone = await diff("clone", [passed, every]);
  expect(told(clone)).toEqual([
    "added latency_injection **/api/checkout",
    "added error_injection **/api/recommendations",
    "added clock.advance",
    "added clone.state payments charges/ch_<id>",
  ]);
  expect((await diff(undefined, [every, every])).first_divergence).toBeNull();
});

test("pages and bodies that lie in blobs are read", async () => {
  const upload = async (total: number) => {
    const [body, html] = [JSON.stringify({ total }), `<h1 id="sum">${total} EUR</h1>`];
    const lines = eventLines(
      3,
      (seq) =>
        [
          { kind: "agent.action", step_id: "s", name: "open", params: {} },
          {
            kind: "network.response",
            step_id: "s",
            url: "http://x/cart",
            status: 200,
            media_type: "application/json",
            body: `sha256:${sha256(body)}`,
          },
          { kind: "dom.snapshot", step_id: "s", url: "http://x/", html: `sha256:${sha256(html)}` },
        ][seq]!,
    );
    const blobs = [body, html].map((content) => ({ name: `blobs/${sha256(content)}`, content }));
    return (await uploadTrace(on, { entries: [events(lines), ...blobs] })).id;
  };
  const pair: [string, string] = [await upload(5), await upload(6)];
  expect((await diff("network", pair)).items[0]!.detail!.differences).toEqual([
    { path: "/response_body/total", a: 5, b: 6 },
  ]);
  expect((await diff("dom", pair)).first_divergence).toMatchObject({
    key: "h1[id=sum]",
    detail: { differences: [{ path: "/text", a: "5 EUR", b: "6 EUR" }] },
  });
});

describe("an answer about finished traces", () => {
  test("is computed once: with the overview come all dimensions", async () => {
    const lines = (text: string) =>
      eventLines(2, (seq) =>
        seq === 0 ? { kind: "agent.action", name: "open", params: {} } : { kind: "console.log", text },
      );
    const [one, other] = [
      (await uploadTrace(on, { entries: [events(lines("ready"))] })).id,
      (await uploadTrace(on, { entries: [events(lines("late"))] })).id,
    ];
    const overview = await diff(undefined, [one, other]);
    await rm(await eventsPath(on, other));
    expect(await diff(undefined, [one, other])).toEqual(overview);
    expect(told(await diff("console", [one, other]))).toEqual([
      "removed console.log ready",
      "added console.log late",
    ]);
    // Not the same question.
    expect((await on.api(path(other, one))).status).toBe(503);
  });

  test("is not given any more once a trace is cold or gone", async () => {
    const { id } = await uploadTrace(on);
    expect((await on.api(path(passed, id))).status).toBe(200);
    await updateTrace(on.store.records, id, { tier: "cold" });
    expect((await on.api(path(passed, id))).status).toBe(409);
    await on.api(`/v1/traces/${id}?force=1`, { method: "DELETE" });
    expect((await on.api(path(passed, id))).status).toBe(404);
  });
});

test("a trace that is still recorded is compared anew each time, as far as it is", async () => {
  const json = { "content-type": "application/json" };
  const begun = await on.api("/internal/v1/traces", {
    method: "POST",
    headers: json,
    body: JSON.stringify({ version: 1, scenario: { slug: "live", title: "Live" }, run_id: "run-1" }),
  });
  const { trace_id } = (await begun.json()) as { trace_id: string };
  const count = async () => (await diff("console", [trace_id, failed])).summary.removed;
  expect(await count()).toBe(0);
  for (const [n, text] of ["one", "two"].entries()) {
    const line = `${JSON.stringify({ seq: n, ts: 1_000 + n, kind: "console.log", text })}\n`;
    const sent = await on.api(`/internal/v1/traces/${trace_id}/chunks?n=${n}`, {
      method: "POST",
      body: zstd(Buffer.from(line)) as Uint8Array<ArrayBuffer>,
    });
    expect(sent.status).toBe(200);
    expect(await count()).toBe(n + 1);
  }
});

test("a client that goes ends the work, and nothing is logged as failed", async () => {
  const [one, other] = [(await uploadTrace(on)).id, (await uploadTrace(on)).id];
  const gone = new AbortController();
  const answer = on.api(path(one, other), { signal: gone.signal });
  gone.abort();
  expect((await answer).status).toBe(499);
  expect(on.logged.filter((line) => line.includes("request failed"))).toEqual([]);
  expect((await on.api(path(one, other))).status).toBe(200);
});

test("raw is asked for by name and kept apart", async () => {
  const changed = async (more: string) =>
    (await getJson<Answer>(on, `${path(passed, failed, "network")}${more}`)).summary.changed;
  const usual = await changed("");
  expect(await changed("&raw=1")).toBeGreaterThan(usual);
  expect(await changed("&raw=false")).toBe(usual);
  expect((await on.api(`${path(passed, failed)}&raw=perhaps`)).status).toBe(400);
});

describe("what is refused", () => {
  const answerOf = async (address: string, api = on.api) => {
    const response = await api(address);
    return { status: response.status, ...((await response.json()) as { error: string; message: string }) };
  };

  test.each([
    ["a", () => `/v1/traces/diff?b=${failed}`],
    ["b", () => `/v1/traces/diff?a=${passed}`],
    ["a", () => path("7Kd2mQx9PbTz", failed)],
    ["dimension", () => path(passed, failed, "pixels")],
  ])("a bad %s is named", async (name, address) => {
    const answer = await answerOf(address());
    expect(answer).toMatchObject({ status: 400, error: "invalid_request" });
    expect(answer.message).toContain(`"${name}"`);
  });

  test("a trace that does not exist, on either side", async () => {
    expect(await answerOf(path(NOBODY, failed))).toMatchObject({ status: 404, error: "not_found" });
    expect(await answerOf(path(passed, NOBODY))).toMatchObject({ status: 404, error: "not_found" });
  });

  test("a trace of another org, and a caller without a key", async () => {
    const { api } = await otherOrg(on);
    expect(await answerOf(path(passed, failed), api)).toMatchObject({ status: 403, error: "wrong_org" });
    const nobody: TestApp["api"] = (address) => on.api(address, { headers: { authorization: "" } });
    expect(await answerOf(path(passed, failed), nobody)).toMatchObject({ status: 401 });
  });

  test("a cold trace, with the way to bring it back", async () => {
    const { id } = await uploadTrace(on);
    await updateTrace(on.store.records, id, { tier: "cold" });
    const answer = await answerOf(path(passed, id));
    expect(answer).toMatchObject({ status: 409, error: "not_hot" });
    expect(answer.message).toContain(`/v1/traces/${id}/restore`);
  });

  test.each([
    ["gone", (file: string) => rm(file)],
    ["cut to nothing", (file: string) => truncate(file)],
  ])("a trace whose event file is %s is told so", async (_, lose) => {
    const { id } = await uploadTrace(on);
    await lose(await eventsPath(on, id));
    expect(await answerOf(path(passed, id, "steps"))).toMatchObject({ status: 503, error: "unavailable" });
  });
});
