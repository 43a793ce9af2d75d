import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { bundle, eventLines, events, manifest, uploadForm } from "../helpers/bundles.ts";
import { executable } from "../helpers/executable.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";
import { smallDisk } from "../helpers/small-disk.ts";
import { until } from "../helpers/until.ts";

const SIZE = 8 << 20;
const scratch = scratchFolder();
/** Elsewhere the tests of ingest inject the same error. */
const small = smallDisk(scratch.at("disk"), SIZE);
const disk = small.path;

afterAll(scratch.remove);

describe.if(small.isMounted)("on a full disk", () => {
  const data = `${disk}/data`;
  let command: string[];
  let server: RunningServer;
  let kept = "";

  const send = (content: Uint8Array) =>
    server.api("/v1/traces/ingest", { method: "POST", body: uploadForm(content) });

  beforeAll(async () => {
    command = [await executable()];
    server = await startProgram(data, { command });
    const answer = await send(bundle([manifest(), events(eventLines(50))]));
    kept = ((await answer.json()) as { trace_id: string }).trace_id;
    // What follows an upload in its own time is there before names are compared.
    const settled = [/\/events\.[0-9a-f]{12}\.ndjson\.zst$/, /\/events\.[0-9a-f]{12}\.index$/];
    await until("the upload is processed and recompressed", () =>
      settled.every((wanted) => names().some((name) => wanted.test(name))),
    );
  }, 120_000);

  afterAll(async () => {
    await server?.stop("SIGKILL");
    small.unmount();
  });

  test("an upload is refused with a reason, leaves nothing, and what was there stays", async () => {
    const before = names();
    const blob = crypto.getRandomValues(new Uint8Array(60_000));
    const big = Buffer.concat(
      Array.from({ length: 400 }, (_, index) => Buffer.concat([blob, Buffer.from([index])])),
    );
    const answer = await send(
      bundle([manifest(), events(eventLines(5)), { name: "video.webm", content: big }, ...noise()]),
    );
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(((await answer.json()) as { message: string }).message).not.toMatch(/ENOSPC|\bat \//);
    expect(names()).toEqual(before);
    expect((await server.api(`/v1/traces/${kept}/events`)).status).toBe(200);
  }, 120_000);

  test("a backup says that the disk is full and leaves no half file", async () => {
    small.fill(16_384);
    const { code, stderr } = await runProgram(["backup", `${disk}/backup`, "--data", data], { command });
    small.empty();
    expect(code).toBe(1);
    expect(stderr).toMatch(/disk is full/i);
    expect(readdirSync(disk)).toEqual(["data"]);
  });

  test("a trace can be removed, which makes room", async () => {
    const answer = await send(bundle([manifest(), events(eventLines(2000))]));
    const { trace_id } = (await answer.json()) as { trace_id: string };
    while (
      ((await (await server.api(`/v1/traces/${trace_id}`)).json()) as { status: string }).status === "queued"
    )
      await Bun.sleep(20);
    small.fill();
    expect(small.free()).toBeLessThanOrEqual(16_384);
    const removed = await server.api(`/v1/traces/${trace_id}?force=1`, { method: "DELETE" });
    expect(removed.status).toBe(204);
    expect((await server.api(`/v1/traces/${trace_id}`)).status).toBe(404);
    small.empty();
  }, 120_000);

  test("with room again it goes on as if nothing had been", async () => {
    expect((await send(bundle([manifest(), events(eventLines(5))]))).status).toBe(200);
    expect(await server.stop()).toBe(0);
    server = await startProgram(data, { command });
    const list = (await (await server.api("/v1/traces")).json()) as { items: unknown[] };
    expect(list.items).toHaveLength(2);
  }, 120_000);

  /** Everything in the folder but what comes and goes by itself: SQLite's files, records of traces and work on others. */
  function names(): string[] {
    return readdirSync(data, { recursive: true, encoding: "utf8" })
      .filter((name) => !/^(tracedeck\.db|tmp\/process-)|\/record\.json(\.draft)?$/.test(name))
      .sort();
  }
});

/** Members that do not compress, together more than the disk holds. */
function noise() {
  return Array.from({ length: 160 }, () => {
    const content = crypto.getRandomValues(new Uint8Array(65_536));
    return { name: `blobs/${new Bun.CryptoHasher("sha256").update(content).digest("hex")}`, content };
  });
}
