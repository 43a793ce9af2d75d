import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { StatusSummary } from "../../../server/watch/status/model.ts";
import { changeCheck } from "../../../store/records/checks.ts";
import { type AlertLab, alertLab } from "../../helpers/alerts.ts";
import { person, secondOrg } from "../../helpers/org-people.ts";
import { send } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

const MINUTE = 60_000;
let lab: AlertLab;
beforeAll(async () => {
  lab = await alertLab({ regions: ["a"] });
  await lab.run("PP");
});
afterAll(() => lab.app.close());

const ask = async (path: string) => {
  lab.app.clock.advance(5000);
  return lab.app.api(path, { headers: { authorization: "" } });
};
const status = async (path = "/v1/status") => (await (await ask(path)).json()) as StatusSummary;
const wall = (ms: number) => new Date(lab.app.clock.now() + ms).toISOString().slice(0, 16);
const page = async (path = "/status") => (await ask(path)).text();

test("planned maintenance is told beforehand, once it goes on, and no more when it is over", async () => {
  const window = {
    name: "Move <b>",
    starts_at: wall(60 * MINUTE),
    duration_minutes: 30,
    scenarios: ["shop"],
  };
  await send(lab.app, "POST", "/v1/maintenance-windows", window);
  await send(lab.app, "POST", "/v1/maintenance-windows", {
    ...window,
    name: "far",
    starts_at: wall(30 * 24 * 60 * MINUTE),
  });
  const [planned, ...others] = (await status()).scheduled_maintenances;
  expect(others).toEqual([]);
  expect(planned).toMatchObject({ name: "Move <b>", status: "scheduled", impact: "maintenance" });
  expect(planned!.components.map(({ name }) => name)).toEqual(["Shop"]);
  expect(Date.parse(planned!.scheduled_until) - Date.parse(planned!.scheduled_for)).toBe(30 * MINUTE);
  expect(await page()).toContain("<h3>Move &lt;b&gt;</h3><p>From ");
  lab.app.clock.advance(60 * MINUTE);
  const during = await status();
  expect(during.scheduled_maintenances[0]!.status).toBe("in_progress");
  expect(during.components[0]!.status).toBe("under_maintenance");
  expect(during.status).toEqual({ indicator: "none", description: "Maintenance is going on" });
  expect(await page()).toContain("Under maintenance");
  lab.app.clock.advance(30 * MINUTE);
  await lab.run("P");
  const after = await status();
  expect([after.scheduled_maintenances, after.components[0]!.status]).toEqual([[], "operational"]);
});

test("what nothing is known of is not operational: its runs cannot be made, or none was made for long", async () => {
  const whole = async () => {
    const { components, status: told } = await status();
    return [components.map((component) => component.status), told.description];
  };
  await lab.run("P");
  expect(await whole()).toEqual([["operational"], "All systems operational"]);
  await lab.run("EEE");
  expect(await whole()).toEqual([[], "Nothing is measured at the moment"]);
  expect(await page()).toContain("Nothing is measured at the moment");
  await lab.run("P");
  expect(await whole()).toEqual([["operational"], "All systems operational"]);
  lab.app.clock.advance(24 * 60 * MINUTE);
  expect(await whole()).toEqual([[], "Nothing is measured at the moment"]);
  const other = await alertLab({ on: lab.app, regions: ["a"], slug: "search" });
  await other.run("P");
  const partly = "What is measured is operational; 1 of 2 are not measured at the moment";
  expect(await whole()).toEqual([["operational"], partly]);
  await send(lab.app, "DELETE", `/v1/scheduled_checks/${other.check.id}`);
  await lab.run("P");
  expect(await whole()).toEqual([["operational"], "All systems operational"]);
});

test("what begins to fail in maintenance is no outage; what failed before stays one", async () => {
  const starts_at = wall(0);
  await send(lab.app, "POST", "/v1/maintenance-windows", { name: "now", starts_at, duration_minutes: 10 });
  await lab.run("FF");
  expect(await status()).toMatchObject({ incidents: [], components: [{ status: "under_maintenance" }] });
  lab.app.clock.advance(10 * MINUTE);
  const failing = await status();
  expect(failing.incidents.map(({ name }) => name)).toEqual(["Shop: failing in a"]);
  expect(failing.status.indicator).toBe("major");
  await send(lab.app, "POST", "/v1/maintenance-windows", {
    name: "again",
    starts_at: wall(0),
    duration_minutes: 10,
  });
  expect((await status()).components[0]!.status).toBe("partial_outage");
});

test("what was slow before maintenance and fails within it is slow to everybody until that is over", async () => {
  await lab.run("PP");
  const policy = JSON.stringify({ retries: 0, latency_p99: { ms: 5000, window_minutes: 60 } });
  await changeCheck(lab.app.store.records, lab.check.id, { alert_policy: policy });
  for (let n = 0; n < 20; n++) {
    lab.app.clock.advance(MINUTE);
    await lab.follow(await lab.ended("P", "a", { duration_ms: 9000 }));
  }
  const window = { name: "third", starts_at: wall(MINUTE), duration_minutes: 10 };
  await send(lab.app, "POST", "/v1/maintenance-windows", window);
  lab.app.clock.advance(MINUTE);
  await lab.run("FF");
  expect((await status()).incidents.map(({ name }) => name)).toEqual(["Shop: degraded in a"]);
  lab.app.clock.advance(10 * MINUTE);
  expect((await status()).incidents.map(({ name }) => name)).toEqual(["Shop: failing in a"]);
  await lab.run("PP");
});

test("another org's status is nobody's until an admin opens it, and the first one's can be closed", async () => {
  const { orgId, owner } = await secondOrg(lab.app, "acme");
  const unknown = await ask("/v1/status/nobody");
  const shut = await ask("/v1/status/acme");
  expect([unknown.status, shut.status]).toEqual([404, 404]);
  expect(await shut.json()).toEqual(await unknown.json());
  expect((await ask("/status/acme")).status).toBe(404);
  const member = await person(lab.app, "member", { orgId });
  expect((await member.send("PATCH", `/v1/orgs/${orgId}`, { status_page: true })).status).toBe(403);
  expect((await owner.send("PATCH", `/v1/orgs/${orgId}`, {})).status).toBe(422);
  const opened = await owner.send("PATCH", `/v1/orgs/${orgId}`, { status_page: true });
  expect(opened.body).toMatchObject({ slug: "acme", status_page: true });
  const acme = await status("/v1/status/acme");
  expect(acme.page).toMatchObject({ id: orgId, url: "http://localhost/status/acme" });
  expect([acme.components, acme.status.description]).toEqual([[], "Nothing is watched yet"]);
  expect(await page("/status/acme")).toContain("Nothing is watched yet");
  const first = await person(lab.app, "owner");
  const about = await first.send("GET", `/v1/orgs/${lab.app.orgId}`);
  expect(about.body).toMatchObject({ status_page: true });
  await first.send("PATCH", `/v1/orgs/${lab.app.orgId}`, { status_page: false });
  expect([(await ask("/v1/status")).status, (await ask("/status")).status]).toEqual([404, 404]);
  await first.send("PATCH", `/v1/orgs/${lab.app.orgId}`, { status_page: true });
  expect((await status("/v1/status/local")).components).toEqual((await status()).components);
});
