import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CreatedChannel } from "../../../../server/watch/channels/model.ts";
import type { Delivery } from "../../../../server/watch/deliveries/model.ts";
import { notifyingServer } from "../../../helpers/notifying.ts";

setDefaultTimeout(60_000);

const server = notifyingServer();
const { call, made, deliveries, tell, channel, restarted, receiver } = server;

describe("a channel", () => {
  test("that two change at once has both changes, by whatever letters of its id", async () => {
    const { id } = await made("/both");
    const change = (body: object) => call("PUT", `/v1/notification-channels/${id.toUpperCase()}`, body);
    const [off, named] = await Promise.all([change({ enabled: false }), change({ name: "renamed" })]);
    expect([off.status, named.status]).toEqual([200, 200]);
    expect(await channel(id)).toMatchObject({ enabled: false, name: "renamed" });
  });

  test("sends its test through the outbox", async () => {
    const { id } = await made("/try");
    const { status, body } = await call<Delivery>("POST", `/v1/notification-channels/${id}/test`);
    expect({ status, body }).toMatchObject({ status: 202, body: { event: "test", state: "pending" } });
    await server.app.runJobs();
    expect(receiver.at("/try")).toHaveLength(1);
  });

  test.each([
    [{ type: "webhook", name: "x" }, '"url" is missing'],
    [{ type: "email", name: "x", address: "no address" }, "address"],
    [
      { type: "email", name: "x", address: "a@b.c", url: "https://a.b" },
      '"url" is not one of a email channel',
    ],
    [{ type: "pagerduty", name: "x", routing_key: "short" }, "routing_key"],
    [{ type: "incident_io", name: "x", url: "https://a.b/c" }, '"token" is missing'],
    [{ type: "carrier pigeon", name: "x", url: "https://a.b/c" }, "type"],
    [{ type: "webhook", name: "x", url: "https://a.b/c", colour: "red" }, "colour"],
  ])("is refused with 422 for %j", async (body, words) => {
    const refused = await call<{ message: string }>("POST", "/v1/notification-channels", body);
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain(words);
  });

  test.each<[Record<string, string>, Record<string, string>]>([
    [{ type: "incident_io", url: "/io", token: "secret-token" }, { token: "another" }],
    [{ type: "pagerduty", routing_key: "r".repeat(32) }, { routing_key: "s".repeat(32) }],
  ])("takes its credential to no other server: %j", async ({ url, ...first }, credential) => {
    const at = url === undefined ? undefined : receiver.url(url);
    const { id } = await made("/credential", { ...first, url: at });
    const put = (body: object) => call<{ message: string }>("PUT", `/v1/notification-channels/${id}`, body);
    const elsewhere = "http://127.0.0.1:9/io";
    const refused = await put({ url: elsewhere });
    expect(refused).toMatchObject({ status: 422, body: { error: "validation_failed" } });
    expect(refused.body.message).toContain(`"${Object.keys(credential)[0]}" is missing`);
    expect((await put({ url: elsewhere, ...credential })).status).toBe(200);
    expect((await put({ url: "http://127.0.0.1:9/moved" })).status).toBe(200);
  });

  test("keeps its address and secrets sealed, out of the log and out of answers", async () => {
    const made = await call<CreatedChannel>("POST", "/v1/notification-channels", {
      type: "slack",
      name: "Chat",
      url: "http://127.0.0.1:9/services/T0/B0/very-secret",
    });
    expect(made.body.url).toBe("http://127.0.0.1:9/…");
    await tell("n1");
    await server.app.runJobs();
    const rows = await server.app.store.records.selectFrom("notification_channels").selectAll().execute();
    const seen = JSON.stringify(
      rows.map(({ sealed, ...row }) => [row, Buffer.from(sealed).toString("latin1")]),
    );
    const listed = JSON.stringify(await deliveries());
    for (const text of [seen, listed, server.app.logged.join("")]) expect(text).not.toContain("very-secret");
  });
});

describe("an address that may not be sent to", () => {
  const HOSTILE = [
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::ffff:7f00:1]/",
    "http://localhost./",
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1/",
    "ftp://example.com/",
    "https://user:word@example.com/",
  ];
  test.each(HOSTILE)("is refused when it is saved: %s", async (url) => {
    await restarted({});
    const body = { type: "webhook", name: "x", url };
    expect(await call("POST", "/v1/notification-channels", body)).toMatchObject({
      status: 422,
      body: { error: "url_not_allowed" },
    });
  });

  test("is refused again when it is sent to: the settings have changed", async () => {
    await made("/rebound");
    await tell("n1");
    await restarted({});
    await server.app.runJobs();
    expect(await deliveries()).toMatchObject([
      { state: "pending", last_error: expect.stringContaining("not public") },
    ]);
    expect(receiver.at("/rebound")).toEqual([]);
  });
});
