import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import type { Background } from "../helpers/packages.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";
import { freePort, makeCertificate, startNginx } from "../helpers/proxies.ts";

/** Leads to this machine, and is no name of it: as an address outside is. */
const OUTSIDE = "0.0.0.0";

describe("doctor, about the public URL", () => {
  let scratch: ReturnType<typeof scratchFolder>;
  let server: RunningServer | null = null;
  let proxy: Background | null = null;
  beforeEach(() => {
    scratch = scratchFolder();
    mkdirSync(scratch.at("data"));
  });
  afterEach(async () => {
    await proxy?.stop();
    await server?.stop();
    [proxy, server] = [null, null];
    scratch.remove();
  });

  async function doctor(env: Record<string, string> = {}) {
    const { stdout, code } = await runProgram(["doctor", "--json", "--data", scratch.at("data")], { env });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
    const { ok, detail } = checks.find(({ name }) => name === "public_url")!;
    return { ok, detail, code };
  }

  async function serveAt(publicUrl: string) {
    const args = ["serve", "--no-open", "--port", "0", "--public-url", publicUrl, "--trust-proxy"];
    server = await startProgram(scratch.at("data"), { args });
  }

  /** nginx in front of the server, which it was told about as `scheme`. */
  async function behind(scheme: "http" | "https", changes: Record<string, string> = {}) {
    const [port, httpPort] = [await freePort(), await freePort()];
    const url = `${scheme}://${OUTSIDE}:${scheme === "http" ? httpPort : port}`;
    await serveAt(url);
    const certificate = makeCertificate(scratch.path, [`IP:${OUTSIDE}`]);
    mkdirSync(scratch.at("proxy"));
    const upstream = new URL(server!.url).host.replace("localhost", "127.0.0.1");
    proxy = await startNginx({ folder: scratch.at("proxy"), certificate, port, httpPort, upstream, changes });
    return { url, ...(await doctor({ NODE_EXTRA_CA_CERTS: certificate.cert })) };
  }

  test("finds nothing wrong with a proxy as in the documentation", async () => {
    const { ok, detail, url } = await behind("https");
    expect([ok, detail]).toEqual([true, url]);
  });

  test("says that a proxy does not hand on the host, and what to write into it", async () => {
    const { ok, detail, code } = await behind("https", { "proxy_set_header Host $http_host;": "" });
    expect([ok, code]).toEqual([false, 1]);
    expect(detail).toContain("cookies lack Secure");
    expect(detail).toContain("proxy_set_header Host $http_host");
  });

  test("says that a proxy names a host that the server does not know", async () => {
    const changes = { "proxy_set_header Host $http_host;": "proxy_set_header Host backend;" };
    const { ok, detail } = await behind("https", changes);
    expect([ok, detail]).toEqual([false, expect.stringContaining("a Host which this server does not know")]);
  });

  test("says that the public URL is http while that address leads to https", async () => {
    const { ok, detail } = await behind("http", { "https://$host": "https://$host:4443" });
    expect(ok).toBe(false);
    expect(detail).toContain(`--public-url https://${OUTSIDE}:4443`);
  });

  test("says that something else answers there", async () => {
    const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
    await serveAt(`http://${OUTSIDE}:${other.port}`);
    const { ok, detail } = await doctor();
    await other.stop(true);
    expect([ok, detail]).toEqual([false, expect.stringContaining("not from this server")]);
  });

  test("does not blame what cannot be reached from here, or is not asked for", async () => {
    expect(await doctor()).toMatchObject({ ok: true, detail: expect.stringContaining("none") });
    await serveAt(`https://${OUTSIDE}:${await freePort()}`);
    expect(await doctor()).toMatchObject({ ok: true, detail: expect.stringContaining("cannot be reached") });
  });

  test("names one that leads everybody to their own machine", async () => {
    writeFileSync(scratch.at("data", "settings.json"), '{"public_url":"https://localhost"}');
    expect(await doctor()).toMatchObject({ ok: false, code: 1 });
  });
});
