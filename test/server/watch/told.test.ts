import { afterAll, afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Delivery } from "../../../server/watch/deliveries/model.ts";
import type { Grid } from "../../../server/watch/grid/model.ts";
import type { Explanation, IncidentItem } from "../../../server/watch/incidents/model.ts";
import type { StatusSummary } from "../../../server/watch/status/model.ts";
import { type AlertLab, alertLab } from "../../helpers/alerts.ts";
import { events as recorded } from "../../helpers/bundles.ts";
import { createReceiver } from "../../helpers/receiver.ts";
import { runPeriodic, uploadTrace } from "../../helpers/traces.ts";
import { watched } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

const receiver = createReceiver();
afterAll(() => receiver.close());

let lab: AlertLab;
beforeEach(async () => {
  lab = await alertLab({
    regions: ["us-east-1"],
    settings: { notifications: { allow_private_addresses: true, retry_seconds: [5] } },
  });
});
afterEach(() => lab.app.close());

const send = async <T>(method: string, path: string, body?: unknown) => {
  const response = await lab.app.api(path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
};
const channel = (path: string) =>
  send<{ id: string }>("POST", "/v1/notification-channels", {
    type: "webhook",
    name: path,
    url: receiver.url(path),
  });

/** Time goes on by a minute; what is due is handed on and sent. */
async function minute(): Promise<void> {
  lab.app.clock.advance(60_000);
  await runPeriodic(lab.app, "notices");
  await lab.app.runJobs();
}

const events = (path: string) =>
  receiver.at(path).map(({ body }) => (JSON.parse(body) as { event: string }).event);

describe("whoever watches", () => {
  test("is told of an incident once when it opens and once when it ends, whatever fails in between", async () => {
    await channel("/once");
    await lab.run("FF");
    await minute();
    await lab.run("FFFF");
    await minute();
    await lab.run("PP");
    await minute();
    expect(events("/once")).toEqual(["incident.opened", "incident.resolved"]);
    const [opened] = receiver.at("/once").map(({ body }) => JSON.parse(body) as Record<string, string>);
    expect(opened).toMatchObject({ scenarioSlug: "shop", region: "us-east-1", orgId: lab.app.orgId });
  });

  test("reads beside a cause that there was no pass to compare with", async () => {
    await send("POST", "/v1/notification-channels", {
      type: "teams",
      name: "t",
      url: receiver.url("/cause"),
    });
    const trace = async (ok: boolean) => {
      const event = { seq: 1, ts: 1, kind: "assertion", step_id: "s", ok, message: "not in stock" };
      const manifest = { status: ok ? "passed" : "failed" };
      return (
        await uploadTrace(lab.app, { slug: "shop", entries: [recorded(JSON.stringify(event))], manifest })
      ).id;
    };
    const failTwice = async (trace_id: string) => {
      for (const _ of [1, 2]) {
        lab.app.clock.advance(60_000);
        await lab.follow(await lab.ended("F", undefined, { trace_id }));
      }
      await minute();
      return receiver.at("/cause").at(-1)!.body;
    };
    const alone = await failTwice(await trace(false));
    expect(alone).toContain("not in stock");
    expect(alone).toContain("told without a pass to compare with");
    await lab.run("PP");
    await minute();
    await trace(true);
    const compared = await failTwice(await trace(false));
    expect(compared).toContain("not in stock");
    expect(compared).not.toContain("told without a pass");
  });

  test("reads at the end since when it failed, and for how long", async () => {
    await channel("/length");
    await lab.run("FF");
    const since = lab.app.clock.now();
    await minute();
    await lab.run("PP");
    await minute();
    const { items } = await send<{ items: { title: string }[] }>("GET", "/v1/webhook-deliveries");
    expect(items.map(({ title }) => title)).toContain("Shop works again in us-east-1, after 3 min");
    const [opened, resolved] = receiver
      .at("/length")
      .map(({ body }) => JSON.parse(body) as { timestamp: string });
    expect([opened!.timestamp, resolved!.timestamp]).toEqual([
      new Date(since).toISOString(),
      new Date(since + 3 * 60_000).toISOString(),
    ]);
  });

  test("is told nothing before the grouping window is over", async () => {
    await channel("/brief");
    lab.app.clock.advance(1);
    await lab.run("FF");
    const { items } = await send<{ items: IncidentItem[] }>("GET", "/v1/incidents");
    expect(items).toHaveLength(1);
    const before = receiver.at("/brief").length;
    await runPeriodic(lab.app, "notices");
    await lab.app.runJobs();
    expect(receiver.at("/brief")).toHaveLength(before);
  });

  test("is told nothing while maintenance goes on, and of what still fails when it ends", async () => {
    await channel("/maintenance");
    const at = new Date(lab.app.clock.now()).toISOString().slice(0, 16);
    await send("POST", "/v1/maintenance-windows", { name: "w", starts_at: at, duration_minutes: 30 });
    await lab.run("FF");
    for (let n = 0; n < 5; n++) await minute();
    expect(events("/maintenance")).toEqual([]);
    lab.app.clock.advance(30 * 60_000);
    await lab.run("F");
    await minute();
    await minute();
    expect(events("/maintenance")).toEqual(["incident.opened"]);
  });

  test("is told of what maintenance kept quiet as soon as its window is removed or made shorter", async () => {
    await channel("/shortened");
    const at = new Date(lab.app.clock.now()).toISOString().slice(0, 16);
    const week = { name: "w", starts_at: at, duration_minutes: 7 * 24 * 60 };
    const windows = "/v1/maintenance-windows";
    const { id } = await send<{ id: string }>("POST", windows, week);
    const { id: other } = await send<{ id: string }>("POST", windows, { ...week, duration_minutes: 30 });
    await lab.run("FF");
    await minute();
    await lab.run("F");
    await send("PUT", `${windows}/${id}`, { duration_minutes: 120 });
    await send("PUT", `${windows}/${id}`, { duration_minutes: 1 });
    await minute();
    expect(events("/shortened")).toEqual([]);
    await lab.app.api(`${windows}/${other}`, { method: "DELETE" });
    await minute();
    expect(events("/shortened")).toEqual(["incident.opened"]);
    await lab.run("F");
    await minute();
    expect(events("/shortened")).toEqual(["incident.opened"]);
  });

  test("is told of the end where the beginning was told, whichever channels the policy names by then", async () => {
    const { id: a } = await channel("/first");
    const { id: b } = await channel("/second");
    const check = `/v1/scheduled_checks/${lab.check.id}`;
    await send("PUT", check, { alert_policy: { retries: 0, channels: [a] } });
    await lab.run("FF");
    await minute();
    await send("PUT", check, { alert_policy: { retries: 0, channels: [b] } });
    await lab.run("PP");
    await minute();
    expect([events("/first"), events("/second")]).toEqual([["incident.opened", "incident.resolved"], []]);
    await lab.run("FFPP");
    await minute();
    expect(events("/second")).toEqual([]);
    await lab.run("FF");
    await minute();
    expect(events("/second")).toEqual(["incident.opened"]);
  });

  test("is told of what goes on though the policy that it opened under told nobody", async () => {
    await channel("/mine");
    const check = `/v1/scheduled_checks/${lab.check.id}`;
    const silent = { alert_policy: { retries: 0, channels: [] } };
    await send("PUT", check, silent);
    await lab.run("FFF");
    await minute();
    expect(events("/mine")).toEqual([]);
    await send("PUT", check, { alert_policy: { retries: 0 } });
    await lab.run("FF");
    await minute();
    await send("PUT", check, silent);
    await lab.run("F");
    await send("PUT", check, { alert_policy: { retries: 0 } });
    await lab.run("F");
    await minute();
    expect(events("/mine")).toEqual(["incident.opened"]);
    const { id: late } = await channel("/late");
    await send("PUT", check, { alert_policy: { retries: 0, channels: [late] } });
    await lab.run("FPP");
    await minute();
    expect([events("/mine"), events("/late")]).toEqual([["incident.opened", "incident.resolved"], []]);
  });

  test("is told of what goes on though another check of the scenario opened it, which tells nobody", async () => {
    await channel("/other");
    const silent = { regions: ["us-east-1"], alert_policy: { retries: 0, channels: [] } };
    const check_id = await watched(lab.app, "shop", silent);
    for (let n = 0; n < 2; n++) {
      lab.app.clock.advance(60_000);
      await lab.follow(await lab.ended("F", "us-east-1", { check_id }));
    }
    await minute();
    expect(events("/other")).toEqual([]);
    await lab.run("FF");
    await minute();
    expect(events("/other")).toEqual(["incident.opened"]);
  });

  test("gets the beginning again that somebody has sent again, though the incident has ended", async () => {
    await channel("/again");
    await lab.run("FF");
    await minute();
    await lab.run("PP");
    await minute();
    const list = async () =>
      (await send<{ items: Delivery[] }>("GET", "/v1/webhook-deliveries")).items.map(
        ({ id, event, state }) => ({ id, event, state }),
      );
    const before = await list();
    const { id } = before.find(({ event }) => event === "incident.opened")!;
    await send("POST", `/v1/webhook-deliveries/${id}/replay`);
    await lab.app.runJobs();
    expect(events("/again")).toEqual(["incident.opened", "incident.resolved", "incident.opened"]);
    expect(await list()).toEqual(before);
  });

  test("hears and sees that what was slow fails by now", async () => {
    await channel("/slow");
    const latency_p99 = { ms: 5000, window_minutes: 60 };
    await send("PUT", `/v1/scheduled_checks/${lab.check.id}`, { alert_policy: { retries: 0, latency_p99 } });
    for (let n = 0; n < 20; n++) {
      lab.app.clock.advance(60_000);
      await lab.follow(await lab.ended("P", "us-east-1", { duration_ms: 9000 }));
    }
    const shown = async () => {
      const { components } = await send<StatusSummary>("GET", "/v1/status");
      const { cells } = await send<Grid>("GET", "/v1/monitoring/grid");
      const { items } = await send<{ items: Delivery[] }>("GET", "/v1/webhook-deliveries");
      return [components[0]!.status, cells[0]!.status, items[0]!.title];
    };
    await minute();
    expect(await shown()).toEqual(["degraded_performance", "degraded", "Shop is slow in us-east-1"]);
    await lab.run("FF");
    await minute();
    expect(events("/slow")).toEqual(["incident.opened", "incident.opened"]);
    expect(await shown()).toEqual(["partial_outage", "failing", "Shop fails in us-east-1"]);
    const [incident] = await lab.incidents();
    expect(incident).toMatchObject({ type: "latency_p99", severity: "error", status: "open" });
  });

  test("is not told that it works again when its check is removed while it fails", async () => {
    const pager = { type: "slack", name: "slack", url: receiver.url("/unwatched") };
    await send("POST", "/v1/notification-channels", pager);
    await lab.run("FF");
    await minute();
    const [{ id }] = (await lab.incidents()) as [IncidentItem];
    await lab.app.api(`/v1/scheduled_checks/${lab.check.id}`, { method: "DELETE" });
    await runPeriodic(lab.app, "incidents.unwatched");
    await minute();
    const said = receiver.at("/unwatched").map(({ body }) => (JSON.parse(body) as { text: string }).text);
    expect(said).toEqual([
      "🔴 Shop fails in us-east-1",
      "🟠 Shop is no longer watched in us-east-1; it was failing",
    ]);
    const { summary } = await send<Explanation>("GET", `/v1/incidents/${id}/explain`);
    expect(summary.at(-1)).toContain("since no check watches this scenario here any more.");
  });

  test("can read why each channel has it or not", async () => {
    await channel("/works");
    await channel("/fails");
    receiver.answer("/fails", () => new Response("", { status: 500 }));
    await lab.run("FF");
    await minute();
    await minute();
    const { items } = await send<{ items: IncidentItem[] }>("GET", "/v1/incidents");
    const { notices, summary } = await send<Explanation>("GET", `/v1/incidents/${items[0]!.id}/explain`);
    expect(notices[0]!.deliveries.map(({ channel, state }) => [channel, state]).sort()).toEqual([
      ["/fails", "dead"],
      ["/works", "delivered"],
    ]);
    expect(summary.join("\n")).toContain("/fails: it was given up: The receiver answered with 500.");
  });
});
