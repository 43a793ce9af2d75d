import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { statement } from "../../helpers/statement.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const open = { headers: { authorization: "" } };

describe("health", () => {
  test("is told at the root and below /v1, to anybody", async () => {
    for (const path of ["/health", "/healthz", "/v1/health", "/v1/healthz"])
      expect(await (await t.api(path, open)).json()).toEqual({
        status: "ok",
        version: t.deps.config.version,
      });
  });

  test("is readiness only while the database can be written, has this program's version, and the scheduler looks at the clock", async () => {
    expect((await t.api("/readyz", open)).status).toBe(503);
    await t.tick();
    for (const path of ["/readyz", "/v1/readyz"])
      expect(await (await t.api(path, open)).json()).toEqual({
        status: "ready",
        checks: { database_writable: true, migrations_done: true, scheduler_ticks: true },
      });
    await statement(t.store, "PRAGMA query_only = ON");
    const readOnly = await t.api("/readyz", open);
    expect(readOnly.status).toBe(503);
    expect(await readOnly.json()).toMatchObject({ error: "unavailable" });
    expect((await t.api("/health", open)).status).toBe(200);
    await statement(t.store, "PRAGMA query_only = OFF");
    expect((await t.api("/readyz", open)).status).toBe(200);
    t.clock.advance(5000);
    expect(await (await t.api("/readyz", open)).json()).toMatchObject({
      message: "Not ready: scheduler_ticks.",
    });
    await t.tick();
    expect((await t.api("/readyz", open)).status).toBe(200);
  });
});

describe("metrics", () => {
  test("have the prefix, base units, and what was counted before anybody looked", async () => {
    const early = t.deps.metrics.counter("test_things_total", "Things.", ["kind"]);
    early.inc({ kind: "a" }, 3);
    t.deps.metrics.gauge("test_level", "A level.", () => [{ labels: { of: "x" }, value: 7 }], ["of"]);
    t.deps.metrics.histogram("test_seconds", "A time.", { buckets: [1, 2] }).observe(1.5);
    const response = await t.api("/metrics", open);
    expect(response.headers.get("content-type")).toContain("text/plain");
    const text = await response.text();
    expect(text).toContain('tracedeck_test_things_total{kind="a"} 3');
    expect(text).toContain('tracedeck_test_level{of="x"} 7');
    expect(text).toContain('tracedeck_test_seconds_bucket{le="2"} 1');
    expect(text).toContain("tracedeck_process_resident_memory_bytes");
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]!);
    expect(names.filter((name) => !name.startsWith("tracedeck_"))).toEqual([]);
    early.inc({ kind: "a" });
    expect(await (await t.api("/v1/metrics", open)).text()).toContain(
      'tracedeck_test_things_total{kind="a"} 4',
    );
  });

  test("count answers by method and status", async () => {
    await t.api("/v1/nope", { method: "PUT" });
    const text = await (await t.api("/metrics", open)).text();
    expect(text).toMatch(/tracedeck_http_requests_total\{method="PUT",status="404"\} 1/);
    expect(text).toMatch(/tracedeck_http_request_duration_seconds_count\{method="PUT"\} 1/);
  });

  test("leave out a number that cannot be read, and say so in the log", async () => {
    t.deps.metrics.gauge("test_broken", "Broken.", () => Promise.reject(new Error("no such table")));
    const response = await t.api("/metrics", open);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("tracedeck_test_level");
    expect(t.logged.join("")).toContain("no such table");
  });
});
