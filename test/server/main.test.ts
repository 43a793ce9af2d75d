import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Flags, loadConfig } from "../../server/config.ts";
import { ListenError } from "../../server/listen.ts";
import { runningServer, type Served, serve } from "../../server/main.ts";
import { LockedError } from "../../server/platform/lock.ts";
import { createLog } from "../../server/platform/log.ts";
import { SCHEMA_VERSION } from "../../store/records/engine/sqlite/migrate.ts";
import { NewerDatabaseError } from "../../store/records/errors.ts";

let data: string;
let running: Served[];
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "tracedeck-main-"));
  running = [];
});
afterEach(async () => {
  for (const served of running) await served.close();
  rmSync(data, { recursive: true });
});

async function start(flags: Flags = {}): Promise<Served> {
  const log = createLog({ clock: { now: () => 0 }, level: "error", write: () => {} });
  const served = await serve(loadConfig({ data, port: 0, ...flags }, {}), { log });
  running.push(served);
  return served;
}

const credentials = () =>
  JSON.parse(readFileSync(join(data, "credentials.json"), "utf8")) as Record<string, string>;

describe("serve", () => {
  test("takes a free port, tells it, and writes it down for the CLI", async () => {
    const served = await start();
    expect(served.url).toBe(`http://localhost:${served.port}`);
    expect(await (await fetch(`${served.url}/health`)).json()).toMatchObject({ status: "ok" });
    expect(credentials().url).toBe(served.url);
    expect(runningServer(data)).toMatchObject({ pid: process.pid, url: served.url });
    const signin = await fetch(served.signinUrl, { redirect: "manual" });
    expect(signin.status).toBe(302);
  });

  test("rewrites the address at the next start and keeps the key", async () => {
    const first = await start();
    const key = credentials().api_key;
    await first.close();
    const second = await start();
    expect(credentials()).toMatchObject({ url: second.url, api_key: key! });
  });

  test("refuses a folder that another server holds, naming process and address", async () => {
    const first = await start();
    const second = start();
    expect(second).rejects.toThrow(LockedError);
    expect(second).rejects.toThrow(`process ${process.pid}`);
    expect(second).rejects.toThrow(first.url);
    await second.catch(() => {});
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
    expect(credentials().url).toBe(first.url);
  });

  test("takes over the lock of a process that is gone, or whose number is another's now", async () => {
    const gone = Bun.spawn(["true"]);
    await gone.exited;
    for (const holder of [
      { pid: gone.pid, started: "1", token: "x", url: null },
      { pid: process.pid, started: "1", token: "x", url: null },
    ]) {
      writeFileSync(join(data, "server.lock"), JSON.stringify(holder));
      await (await start()).close();
    }
    writeFileSync(join(data, "server.lock"), "not a lock");
    await (await start()).close();
  });

  test("gives the folder free when it stops", async () => {
    await (await start()).close();
    expect(existsSync(join(data, "server.lock"))).toBe(false);
    expect(runningServer(data)).toBeNull();
  });

  test("tells of a port in use, and leaves nothing locked", async () => {
    const other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      reusePort: false,
      fetch: () => new Response(),
    });
    const refused = start({ port: other.port });
    expect(refused).rejects.toThrow(ListenError);
    expect(refused).rejects.toThrow(`Port ${other.port}`);
    await refused.catch(() => {});
    await other.stop(true);
    await start();
  });

  test("refuses the database of a newer program in words, and leaves it alone", async () => {
    await (await start()).close();
    const path = join(data, "tracedeck.db");
    const raw = new Database(path);
    raw.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    raw.close();
    const refused = start();
    expect(refused).rejects.toThrow(NewerDatabaseError);
    expect(refused).rejects.toThrow("newer");
    await refused.catch(() => {});
    const after = new Database(path, { readonly: true });
    expect(after.query("PRAGMA user_version").get()).toEqual({ user_version: SCHEMA_VERSION + 1 });
    after.close();
    expect(existsSync(join(data, "server.lock"))).toBe(false);
  });

  test("brings an empty, older database up to date", async () => {
    new Database(join(data, "tracedeck.db"), { create: true }).close();
    const served = await start();
    expect((await fetch(`${served.url}/readyz`)).status).toBe(200);
  });

  test("is not held up by an open stream when it stops", async () => {
    const served = await start();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: served.port,
      socket: { data() {} },
    });
    socket.write("GET /health HTTP/1.1\r\n");
    await served.close();
    socket.end();
  });

  test("answers a body that is too large with the error body", async () => {
    const served = await start();
    const big = await fetch(`${served.url}/v1/api-keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${credentials().api_key}`, "content-type": "application/json" },
      body: new Uint8Array(2 * 1024 * 1024).fill(32),
    });
    expect(big.status).toBe(413);
    expect(await big.json()).toMatchObject({ error: "body_too_large" });
  });
});
