import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createSigninLink } from "../../../server/identity/sessions/service.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm, zstd } from "../../helpers/bundles.ts";
import type { Background } from "../../helpers/packages.ts";
import { scratchFolder } from "../../helpers/program.ts";
import {
  askProxy,
  freePort,
  makeCertificate,
  NAME,
  startCaddy,
  startNginx,
  textOf,
} from "../../helpers/proxies.ts";
import { statement } from "../../helpers/statement.ts";
import { getJson, post, uploadTrace } from "../../helpers/traces.ts";
import { until } from "../../helpers/until.ts";

/** Above what nginx takes by itself. */
const VIDEO_BYTES = 3 << 20;

describe.each([
  ["nginx", startNginx],
  ["Caddy", startCaddy],
] as const)("behind %s, with the example of the documentation", (_name, start) => {
  const scratch = scratchFolder();
  let t: TestApp;
  let proxy: Background;
  let place: { port: number; ca: string };
  let base: string;

  beforeAll(async () => {
    const port = await freePort();
    base = `https://${NAME}:${port}`;
    t = await testApp({ flags: { publicUrl: base, trustProxy: true } });
    const certificate = makeCertificate(scratch.path, [`DNS:${NAME}`]);
    place = { port, ca: certificate.ca };
    const upstream = new URL(t.listen()).host.replace("localhost", "127.0.0.1");
    const folder = scratch.at("proxy");
    mkdirSync(folder);
    proxy = await start({ folder, certificate, port, upstream });
  });
  afterAll(async () => {
    await proxy?.stop();
    await t?.close();
    scratch.remove();
  });

  const withKey = (more: Record<string, string> = {}) => ({ authorization: `Bearer ${t.apiKey}`, ...more });

  test("signing in sets a Secure cookie, HSTS goes out, and the audit log has the client's own address", async () => {
    const { url } = await createSigninLink(t.deps, { orgId: t.orgId, base: "" });
    const answer = await askProxy(place, url, { headers: { "x-forwarded-for": "198.51.100.9" } });
    expect(answer.statusCode).toBe(302);
    const cookie = answer.headers["set-cookie"]![0]!;
    expect(cookie).toEndWith("; Secure");
    expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000");
    const [row] = await statement(t.store, "SELECT ip FROM audit_events WHERE action = 'session.signin'");
    expect(row).toEqual({ ip: "127.0.0.1" });
    const session = { cookie: cookie.split(";")[0]! };
    expect((await askProxy(place, "/api/v1/me", { headers: session })).statusCode).toBe(200);
    const signOut = { method: "POST", headers: { ...session, origin: base } };
    expect((await askProxy(place, "/v1/session/signout", signOut)).statusCode).toBe(204);
  });

  test("share links and signed links lead through the proxy", async () => {
    const { id } = await uploadTrace(t);
    const asked = await askProxy(place, `/v1/traces/${id}/share`, {
      method: "POST",
      headers: withKey({ "content-type": "application/json" }),
      body: Buffer.from('{"visibility":"public-read"}'),
    });
    const shared = JSON.parse(await textOf(asked)) as { url: string };
    expect(shared.url).toStartWith(`${base}/r/`);
    expect((await askProxy(place, new URL(shared.url).pathname)).statusCode).toBe(200);
    const shown = await askProxy(place, `/v1/traces/${id}`, { headers: withKey() });
    const { signed_urls } = JSON.parse(await textOf(shown)) as { signed_urls: Record<string, string> };
    const link = new URL(signed_urls.ndjson!);
    expect(link.origin).toBe(base);
    const file = await askProxy(place, link.pathname + link.search);
    expect([file.statusCode, (await textOf(file)).length > 0]).toEqual([200, true]);
  });

  test("an event comes through a stream while the trace goes on", async () => {
    const begun = await post(t, "/internal/v1/traces", { version: 1, scenario: { slug: "live" } });
    const { trace_id } = (await begun.json()) as { trace_id: string };
    const stream = await askProxy(place, `/v1/traces/${trace_id}/stream`, { headers: withKey() });
    expect(stream.headers["content-type"]).toContain("text/event-stream");
    let text = "";
    stream.on("data", (chunk: Buffer) => {
      text += chunk;
    });
    await until("the first heartbeat", () => text === ": heartbeat\n\n");
    await t.api(`/internal/v1/traces/${trace_id}/chunks?n=0`, {
      method: "POST",
      headers: { "content-type": "application/zstd" },
      body: new Uint8Array(zstd(Buffer.from(eventLines(1)))),
    });
    await until("the event", () => text.includes("data: "));
    expect((await getJson(t, `/v1/traces/${trace_id}`)).status).toBe("running");
    stream.destroy();
  });

  test("a large upload reaches the server while it is still being sent", async () => {
    const noise = Buffer.concat(
      Array.from({ length: VIDEO_BYTES / 65_536 }, () => crypto.getRandomValues(new Uint8Array(65_536))),
    );
    const video = { name: "video.webm", content: noise };
    const request = new Request("http://localhost/", {
      method: "POST",
      body: uploadForm(bundle([manifest(), events(eventLines(5)), video])),
    });
    const type = request.headers.get("content-type")!;
    const body = Buffer.from(await request.arrayBuffer());
    const middle = body.length >> 1;
    const source = new Readable({ read() {} });
    source.push(body.subarray(0, middle));
    const answer = askProxy(place, "/v1/traces/ingest", {
      method: "POST",
      headers: withKey({ "content-type": type, "content-length": String(body.length) }),
      body: source,
    });
    const { tmp } = t.store.layout;
    await until("half of the upload is on the server's disk", () =>
      readdirSync(tmp, { recursive: true, encoding: "utf8" }).some(
        (name) => name.endsWith("upload") && statSync(join(tmp, name)).size > middle / 2,
      ),
    );
    source.push(body.subarray(middle));
    source.push(null);
    const taken = await answer;
    expect([taken.statusCode, await textOf(taken)]).toEqual([200, expect.stringContaining("trace_id")]);
  });
});
