import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createOrg } from "../../../../server/identity/orgs.ts";
import type {
  Explanation,
  IncidentAnswer,
  IncidentItem,
  Preview,
} from "../../../../server/watch/incidents/model.ts";
import { type AlertResultRow, insertAlertResult } from "../../../../store/records/alert-results.ts";
import { addTimeline } from "../../../../store/records/incidents.ts";
import { type AlertLab, alertLab } from "../../../helpers/alerts.ts";

let lab: AlertLab;
let id: string;
beforeEach(async () => {
  lab = await alertLab();
  await lab.run("PFF");
  id = (await lab.incidents())[0]!.id;
});
afterEach(() => lab.app.close());

const path = (verb: string): string => `/v1/incidents/${id}/${verb}`;
const codeOf = async (asked: Promise<{ status: number; body: { error: string } }>) => {
  const { status, body } = await asked;
  return `${status} ${body.error}`;
};
const inAnHour = () => new Date(lab.app.clock.now() + 3_600_000).toISOString();

describe("/v1/incidents", () => {
  test("acknowledge is noted with who did it, and the same twice is no error", async () => {
    const { status, body } = await lab.api<IncidentAnswer>(path("ack"), {});
    expect([status, body.status, body.acknowledged_by]).toEqual([200, "acknowledged", lab.app.userId]);
    expect(body.timeline.map(({ kind }) => kind)).toEqual(["opened", "acknowledged"]);
    const again = await lab.api<IncidentAnswer>(path("ack"), {});
    expect([again.status, again.body]).toEqual([200, body]);
  });

  test("suppress takes a duration or an end, replaces both, and opens again at the next failure after it, told once", async () => {
    const first = await lab.api<IncidentAnswer>(path("suppress"), { duration_seconds: 60, reason: "known" });
    expect(first.body).toMatchObject({ status: "suppressed", suppress_reason: "known" });
    lab.app.clock.advance(30_000);
    expect(await lab.deliver()).toEqual([]);
    const until = inAnHour();
    const second = await lab.api<IncidentAnswer>(path("suppress"), { until, reason: "still" });
    expect(second.body).toMatchObject({ suppressed_until: until, suppress_reason: "still" });
    await lab.run("F");
    expect((await lab.incidents())[0]!.status).toBe("suppressed");
    lab.app.clock.set(Date.parse(until));
    await lab.run("FF");
    lab.app.clock.advance(30_000);
    expect(await lab.deliver()).toEqual(["incident.opened a"]);
    const { body } = await lab.api<IncidentAnswer>(`/v1/incidents/${id}`);
    const kinds = body.timeline.map(({ kind }) => kind).filter((kind) => kind !== "rule");
    expect(kinds).toEqual(["opened", "suppressed", "suppressed", "reopened"]);
  });

  test("what a status does not allow is refused by name", async () => {
    await lab.api(path("suppress"), { duration_seconds: 60, reason: "known" });
    expect(await codeOf(lab.api(path("ack"), {}))).toBe("409 invalid_transition");
    await lab.run("PP");
    expect(await codeOf(lab.api(path("suppress"), { duration_seconds: 60, reason: "x" }))).toBe(
      "409 invalid_transition",
    );
    expect(await codeOf(lab.api(path("ack"), {}))).toBe("409 invalid_transition");
  });

  test("what suppress cannot use is refused, and nothing is written", async () => {
    const late = new Date(lab.app.clock.now() + 31 * 86_400_000).toISOString();
    for (const body of [
      { duration_seconds: 60 },
      { duration_seconds: 60, reason: "  " },
      { duration_seconds: 0, reason: "x" },
      { duration_seconds: 2_592_001, reason: "x" },
      { reason: "x" },
      { until: inAnHour(), duration_seconds: 60, reason: "x" },
      { until: "tomorrow", reason: "x" },
      { until: late, reason: "x" },
      { until: "2020-01-01T00:00:00Z", reason: "x" },
      { duration_seconds: 60, reason: "x", extra: 1 },
    ])
      expect([body, await codeOf(lab.api(path("suppress"), body))]).toEqual([body, "422 validation_failed"]);
    expect((await lab.incidents())[0]!.status).toBe("open");
  });

  test("lists by status, rule and scenario, page by page", async () => {
    await lab.run("FF", "b");
    await lab.run("PP");
    const list = async (query: string) =>
      (await lab.api<{ items: IncidentItem[]; next_cursor: string | null }>(`/v1/incidents?${query}`)).body;
    const regions = async (query: string) => (await list(query)).items.map(({ region }) => region).join("");
    expect(await regions("")).toBe("ba");
    expect(await regions("status=open")).toBe("b");
    expect(await regions("type=failure_rate")).toBe("");
    expect([await regions("scenario=shop"), await regions("scenario=none")]).toEqual(["ba", ""]);
    const first = await list("limit=1");
    expect(first.items.map(({ region }) => region)).toEqual(["b"]);
    expect(await regions(`limit=1&cursor=${first.next_cursor}`)).toBe("a");
    expect(await codeOf(lab.api("/v1/incidents?cursor=x"))).toBe("422 validation_failed");
  });

  test("of another org are refused, and of nobody are not found", async () => {
    const other = await createOrg(lab.app.deps, "other");
    const headers = { authorization: `Bearer ${other.api_key}`, "content-type": "application/json" };
    const foreign = async (at: string, body?: unknown) =>
      (
        await lab.app.api(at, {
          headers,
          ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
        })
      ).status;
    expect(await foreign(`/v1/incidents/${id}`)).toBe(403);
    expect(await foreign(path("explain"))).toBe(403);
    expect(await foreign(path("ack"), {})).toBe(403);
    expect(await foreign(path("suppress"), { duration_seconds: 60, reason: "x" })).toBe(403);
    expect(await foreign("/v1/alert-policies/preview", { check_id: lab.check.id, alert_policy: {} })).toBe(
      403,
    );
    expect((await lab.api("/v1/incidents/00000000-0000-7000-8000-000000000000")).status).toBe(404);
    expect((await lab.api("/v1/incidents/nonsense/explain")).status).toBe(404);
    const theirs = await lab.app.api("/v1/incidents", { headers });
    expect(await theirs.json()).toEqual({ items: [], next_cursor: null });
  });

  test("explain says why it opened, from which results, and why each notice was told or not", async () => {
    lab.app.clock.advance(30_000);
    await lab.deliver();
    await lab.run("PP");
    await lab.run("FFPP");
    const told = (await lab.api<Explanation>(path("explain"))).body;
    expect(told.fired).toMatchObject([
      { rule: "consecutive_failures", results: [{ status: "failed" }, { status: "failed" }] },
    ]);
    expect(told.notices.map(({ event, state }) => `${event} ${state}`)).toEqual([
      "incident.opened handed_on",
      "incident.resolved waiting",
    ]);
    const [latest] = (await lab.incidents()).slice(-1);
    const untold = (await lab.api<Explanation>(`/v1/incidents/${latest!.id}/explain`)).body;
    expect(untold.notices.map(({ event, state, why }) => `${event} ${state}: ${why}`)).toEqual([
      "incident.opened superseded: It ended before anybody was told.",
      "incident.resolved superseded: Nobody was told that it opened.",
    ]);
    expect(untold.policy).toMatchObject({ consecutive_failures: 2, retries: 0 });
    expect(untold.summary[0]).toContain("2 runs in a row failed.");
  });
});

test("explain knows why it opened, however often a target was found another way since", async () => {
  const { records } = lab.app.store;
  const at = lab.app.clock.now();
  const entry = { incident_id: id, at, actor: null, run_id: null, samples: "[]" };
  await records.transaction().execute(async (trx) => {
    for (let pass = 0; pass < 600; pass++)
      await addTimeline(trx, { ...entry, kind: "healed", text: "The run passed." });
  });
  await lab.run("FF");
  const { fired, summary } = (await lab.api<Explanation>(path("explain"))).body;
  expect(fired.map(({ rule, text }) => `${rule}: ${text}`)).toEqual([
    "consecutive_failures: 2 runs in a row failed.",
    "failure_rate: 3 of 4 runs failed within 30 minutes: 75 %, where 50 % are the limit.",
  ]);
  expect(summary[0]).toContain("It opened at");
});

describe("/v1/alert-policies/preview", () => {
  test("says what a policy would have opened, rule by rule, from what was kept", async () => {
    await lab.run("PPFPFFPP");
    const preview = async (body: object) =>
      (await lab.api<Preview>("/v1/alert-policies/preview", { check_id: lab.check.id, ...body })).body;
    const two = await preview({ alert_policy: { failure_rate: null } });
    expect(two).toMatchObject({ results: 11, is_whole: true });
    expect(two.incidents).toHaveLength(2);
    expect(two.rules).toContainEqual({ rule: "consecutive_failures", opened: 2, fired: 2 });
    const three = await preview({ alert_policy: { consecutive_failures: 3, failure_rate: null } });
    expect(three.incidents).toEqual([]);
    const rate = await preview({
      alert_policy: { consecutive_failures: null, failure_rate: { window_minutes: 30, percent: 40 } },
    });
    expect(rate.incidents.map(({ type }) => type)).toContain("failure_rate");
    expect((await preview({ regions: ["b"], alert_policy: {} })).results).toBe(0);
    const asked = (body: object) => codeOf(lab.api("/v1/alert-policies/preview", body));
    expect(await asked({ alert_policy: {} })).toBe("422 validation_failed");
    expect(await asked({ scenario: "shop", alert_policy: {} })).toBe("422 validation_failed");
    expect(await asked({ scenario: "none", regions: ["a"], alert_policy: {} })).toBe("404 not_found");
  });

  test("looks as far back as live rules do, for as many runs as a policy may ask for", async () => {
    const policy = {
      ...{ retries: 0, consecutive_failures: null },
      failure_rate: { min_samples: 1600, window_minutes: 2000 },
    };
    await lab.app.close();
    lab = await alertLab({ policy, regions: ["a"] });
    const { app, check } = lab;
    const from = app.clock.now();
    await app.store.records.transaction().execute(async (trx) => {
      for (let run = 1; run < 1600; run++)
        await insertAlertResult(trx, {
          ...{ run_id: app.deps.ids.uuid(), org_id: app.orgId, scenario_id: check.scenario_id, region: "a" },
          ...{ kind: "run", status: "failed", at: from + run * 60_000, duration_ms: 1000 },
          ...{ failure_signature: null, trace_id: null, healed: 0, ignored: null },
        });
    });
    app.clock.advance(1599 * 60_000);
    const previewed = async () => {
      const asked = { check_id: check.id, alert_policy: policy };
      return (await lab.api<Preview>("/v1/alert-policies/preview", asked)).body.incidents;
    };
    expect([await previewed(), await lab.incidents()]).toEqual([[], []]);
    await lab.run("F");
    const [live, ...more] = await lab.incidents();
    expect(more).toEqual([]);
    expect(live).toMatchObject({
      type: "failure_rate",
      opened_at: new Date(from + 1600 * 60_000).toISOString(),
    });
    expect(await previewed()).toMatchObject([{ type: "failure_rate", opened_at: live!.opened_at }]);
  });

  test("tells of slow runs, of drift and of targets found another way as well", async () => {
    const { records } = lab.app.store;
    const { scenario_id } = lab.check;
    let at = lab.app.clock.now() - 24 * 60 * 60_000;
    const add = (changes: Partial<AlertResultRow>) => {
      at += 60_000;
      return insertAlertResult(records, {
        ...{ run_id: lab.app.deps.ids.uuid(), org_id: lab.app.orgId, scenario_id, region: "c", kind: "run" },
        ...{
          status: "passed",
          at,
          duration_ms: 1000,
          failure_signature: null,
          trace_id: null,
        },
        ...{ healed: 0, ignored: null, ...changes },
      });
    };
    for (let run = 0; run < 20; run++) await add({ duration_ms: 9000 });
    await add({ duration_ms: 9000, healed: 2 });
    for (const status of ["passed", "passed"] as const) await add({ status });
    for (const status of ["failed", "passed", "passed"] as const) await add({ kind: "shadow", status });
    const preview = async (alert_policy: object) =>
      (
        await lab.api<Preview>("/v1/alert-policies/preview", {
          check_id: lab.check.id,
          regions: ["c"],
          alert_policy,
        })
      ).body;
    const all = await preview({ latency_p99: { ms: 5000 }, shadow_diff: true });
    expect(all.rules.map(({ rule, opened }) => [rule, opened])).toEqual([
      ["consecutive_failures", 0],
      ["failure_rate", 0],
      ["latency_p99", 1],
      ["shadow_diff", 1],
      ["global_outage", 0],
    ]);
    expect(all.healed).toBe(1);
    expect(await preview({ shadow_diff: false })).toMatchObject({ incidents: [], healed: 0, notices: 0 });
  });
});
