import { Database } from "bun:sqlite";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bundle, eventLines, events, manifest, uploadForm } from "../helpers/bundles.ts";
import { executable } from "../helpers/executable.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";

/** Events whose text does not compress to nothing, so that processing and recompression take a while. */
const noisy = (count: number) =>
  eventLines(count, (seq) => ({
    step_id: `step-${seq % 7}`,
    text: Bun.hash(String(seq)).toString(36).repeat(8),
  }));

interface Detail {
  status: string;
  event_count: number;
}

describe("a server that is killed with SIGKILL", () => {
  let command: string[];
  let scratch: ReturnType<typeof scratchFolder>;
  let data: string;
  let server: RunningServer;

  beforeAll(async () => {
    command = [await executable()];
  }, 120_000);

  beforeEach(async () => {
    scratch = scratchFolder();
    data = scratch.at("data");
    server = await start();
  });

  afterEach(async () => {
    await server.stop("SIGKILL");
    scratch.remove();
  });

  const start = () => startProgram(data, { command, cwd: scratch.path });

  async function upload(lines: string): Promise<string> {
    const body = uploadForm(bundle([manifest(), events(lines)]));
    const answer = await server.api("/v1/traces/ingest", { method: "POST", body });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { trace_id: string }).trace_id;
  }

  async function settled(id: string): Promise<Detail> {
    for (;;) {
      const detail = (await (await server.api(`/v1/traces/${id}`)).json()) as Detail;
      if (detail.status !== "queued") return detail;
      await Bun.sleep(20);
    }
  }

  async function doctor() {
    const { stdout } = await runProgram(["doctor", "--json", "--data", data], { command });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
    return checks.filter((check) => !check.ok);
  }

  test("during post-processing: the next start finishes it", async () => {
    const lines = noisy(25_000);
    for (const delay of [0, 60, 150, 300]) {
      const id = await upload(lines);
      await Bun.sleep(delay);
      await server.stop("SIGKILL");
      server = await start();
      expect(await settled(id)).toMatchObject({ status: "failed", event_count: 25_000 });
    }
    expect(await doctor()).toEqual([]);
  }, 120_000);

  test("during recompression: events stay readable and it is done again", async () => {
    const id = await upload(noisy(20_000));
    await settled(id);
    await until(() => jobStates(data).includes("running"));
    await server.stop("SIGKILL");
    server = await start();
    const page = await server.api(`/v1/traces/${id}/events?offset=19990&limit=20`);
    expect(((await page.json()) as { total: number; events: unknown[] }).events).toHaveLength(10);
    await until(() => jobStates(data).every((state) => state === "done"));
    expect(await doctor()).toEqual([]);
  }, 120_000);

  test("during an upload: nothing of it is left after the next start", async () => {
    const whole = Buffer.from(
      await new Response(uploadForm(bundle([manifest(), events(noisy(5000))]))).bytes(),
    );
    const half = Promise.withResolvers<void>();
    async function* body() {
      yield whole.subarray(0, whole.length >> 1);
      half.resolve();
      await new Promise(() => {});
    }
    const boundary = whole.subarray(2, whole.indexOf("\r\n")).toString();
    const sending = server
      .api("/v1/traces/ingest", {
        method: "POST",
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
        body: body() as unknown as ReadableStream,
      })
      .catch((error) => error);
    await half.promise;
    await until(() => readdirSync(join(data, "tmp")).length > 0);
    await server.stop("SIGKILL");
    expect(await sending).toBeInstanceOf(Error);
    server = await start();
    expect(await (await server.api("/v1/traces")).json()).toMatchObject({ items: [] });
    await until(() => readdirSync(join(data, "tmp")).length === 0);
  }, 120_000);

  test("again and again while it starts: it starts all the same", async () => {
    await upload(noisy(100));
    for (const delay of [5, 20, 40, 80]) {
      await server.stop("SIGKILL");
      const child = Bun.spawn([...command, "serve", "--no-open", "--port", "0", "--data", data], {
        stdio: ["ignore", "ignore", "ignore"],
      });
      await Bun.sleep(delay);
      child.kill("SIGKILL");
      await child.exited;
      server = await start();
    }
    expect(((await (await server.api("/v1/traces")).json()) as { items: unknown[] }).items).toHaveLength(1);
    expect(await doctor()).toEqual([]);
  }, 120_000);
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}

/** States of the recompression jobs. */
function jobStates(data: string): string[] {
  const records = new Database(join(data, "tracedeck.db"), { readonly: true });
  try {
    const rows = records
      .query("SELECT state FROM jobs WHERE kind = 'trace.recompress'")
      .values() as string[][];
    return rows.map(([state]) => state!);
  } finally {
    records.close();
  }
}
