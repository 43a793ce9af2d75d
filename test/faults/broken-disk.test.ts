import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { breakDisk, canBreakDisks } from "../helpers/broken-disk.ts";
import { blob, bundle, eventLines, events, manifest, sha256, uploadForm } from "../helpers/bundles.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";

setDefaultTimeout(180_000);

describe.if(canBreakDisks)("a disk whose fsync fails", () => {
  let scratch: ReturnType<typeof scratchFolder>;
  let data: string;
  let server: RunningServer;
  let kept: string;

  beforeEach(async () => {
    scratch = scratchFolder();
    data = scratch.at("data");
    server = await startProgram(data);
    kept = await stored("kept");
    await until("nothing is left to be done", async () => (await openJobs()) === 0);
  });

  afterEach(async () => {
    await server.stop("SIGKILL");
    scratch.remove();
  });

  const log = () => join(data, "tracedeck.db-wal");
  const upload = (text: string) =>
    server.api("/v1/traces/ingest", {
      method: "POST",
      body: uploadForm(bundle([manifest(), events(eventLines(5)), blob(text)])),
    });

  async function stored(text: string): Promise<string> {
    const answer = await upload(text);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { trace_id: string }).trace_id;
  }

  async function listed(): Promise<string[]> {
    const { items } = (await (await server.api("/v1/traces")).json()) as { items: { id: string }[] };
    return items.map(({ id }) => id).sort();
  }

  async function openJobs(): Promise<number> {
    const { items } = (await (await server.api("/v1/traces")).json()) as { items: { status: string }[] };
    return items.filter(({ status }) => status === "queued").length;
  }

  async function problems() {
    const { stdout } = await runProgram(["doctor", "--json", "--data", data], {
      env: { TRACEDECK_PORT: "0" },
    });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
    return checks.filter(({ ok }) => !ok);
  }

  const blobs = () =>
    readdirSync(join(data, "blobs"), { recursive: true, encoding: "utf8" }).filter((name) =>
      /[0-9a-f]{64}(\.\w+)?$/.test(name),
    );

  async function restart() {
    await server.stop("SIGKILL");
    server = await startProgram(data);
  }

  test("once: the upload is refused and does not come back, and the next one is taken", async () => {
    const taken = [kept];
    for (let n = 1; ; n++) {
      const disk = await breakDisk(server.pid, log(), 1);
      const answer = await upload(`upload ${n}`);
      // Killed while nothing else was written: what the log holds is all that the next start has.
      if (answer.status !== 200) await restart();
      await disk.mend();
      if (answer.status !== 200) break;
      // The failure met something else that was being written.
      taken.push(((await answer.json()) as { trace_id: string }).trace_id);
      await until("nothing else is written", async () => (await openJobs()) === 0);
    }
    expect(await listed()).toEqual(taken.sort());
    expect(readdirSync(join(data, "traces")).sort()).toEqual(taken);
    expect(blobs()).toHaveLength(taken.length);
    const next = await stored("taken");
    expect(await listed()).toEqual([...taken, next].sort());
    await server.stop();
    expect(await problems()).toEqual([]);
  });

  test("for good: nothing is taken back that may be in, and once it is mended the server goes on", async () => {
    const disk = await breakDisk(server.pid, log());
    const answer = await upload("unknown");
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(blobs().some((name) => name.includes(sha256("unknown")))).toBe(true);
    await disk.mend();
    const next = await stored("taken");
    expect(await listed()).toContain(next);
    await restart();
    const ids = await listed();
    expect(ids).toContain(kept);
    expect(ids).toContain(next);
    // What is listed is whole; of what is not, nothing is left.
    expect(readdirSync(join(data, "traces")).sort()).toEqual(ids);
    expect(blobs()).toHaveLength(ids.length);
    for (const id of ids) expect((await server.api(`/v1/traces/${id}/events`)).status).toBe(200);
    await server.stop();
    expect(await problems()).toEqual([]);
  });

  test("for good, and killed: the next start finds each upload whole or finds nothing of it", async () => {
    const disk = await breakDisk(server.pid, log());
    const answer = await upload("unknown");
    expect(answer.status).toBeGreaterThanOrEqual(500);
    await restart();
    await disk.mend();
    const ids = await listed();
    expect(readdirSync(join(data, "traces")).sort()).toEqual(ids);
    expect(blobs()).toHaveLength(ids.length);
    for (const id of ids) expect((await server.api(`/v1/traces/${id}/events`)).status).toBe(200);
    await until("nothing is left to be done", async () => (await openJobs()) === 0);
    await server.stop();
    expect(await problems()).toEqual([]);
  });
});
