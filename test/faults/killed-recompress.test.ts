import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { testApp } from "../helpers/app.ts";
import { blob, bundle, eventLines, events, manifest, sha256, uploadForm } from "../helpers/bundles.ts";
import { childCommand } from "../helpers/child.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";

setDefaultTimeout(120_000);

const CHILD = join(import.meta.dir, "..", "server", "trace", "process-child.ts");
const PICTURE = "a picture, in some way";

let scratch: ReturnType<typeof scratchFolder>;
let data: string;
beforeEach(() => {
  scratch = scratchFolder();
  data = scratch.at("data");
});
afterEach(() => scratch.remove());

/** A store whose server died in the recompression of a trace. */
async function killedAt(step: string): Promise<string> {
  const app = await testApp({ dataDir: data });
  const lines = eventLines(3_000, (seq) =>
    seq === 3 ? { kind: "screenshot", blob: `sha256:${sha256(PICTURE)}`, width: 1, height: 1 } : {},
  );
  const body = uploadForm(bundle([manifest(), events(lines), blob(PICTURE)]));
  const answer = await app.api("/v1/traces/ingest", { method: "POST", body });
  const { trace_id: id } = (await answer.json()) as { trace_id: string };
  await app.close();
  for (const [work, dieAt] of [
    ["process", "never"],
    ["recompress", step],
  ] as const) {
    const child = Bun.spawn([...childCommand(CHILD), data, id, work, dieAt], { stderr: "inherit" });
    await child.exited;
    expect(child.signalCode).toBe(work === "process" ? null : "SIGKILL");
  }
  return id;
}

test.each(["made", "moved", "committed"])(
  "killed in recompression when the new files are %s, a stopped store is whole for whoever looks",
  async (step) => {
    const id = await killedAt(step);
    const run = (...args: string[]) =>
      runProgram([...args, "--data", data], { env: { TRACEDECK_PORT: "0" } });

    const doctor = await run("doctor", "--json");
    const { checks } = JSON.parse(doctor.stdout) as {
      checks: { name: string; ok: boolean; detail: string }[];
    };
    expect({ code: doctor.code, bad: checks.filter(({ ok }) => !ok) }).toEqual({ code: 0, bad: [] });

    const backup = await run("backup", scratch.at("backup"), "--json");
    expect(JSON.parse(backup.stdout)).toMatchObject({ traces: 1, warnings: [] });

    expect(await run("traces", "export", id, "--out", scratch.at("export"))).toMatchObject({ code: 0 });
    const listed = await run("traces", "events", id, "--limit", "1000", "--json");
    expect((JSON.parse(listed.stdout) as { total: number }).total).toBe(3_000);
  },
);

test("what a recompression replaced goes once nobody can be about to read it", async () => {
  const id = await killedAt("moved");
  const app = await testApp({ dataDir: data });
  const names = () => readdirSync(app.store.layout.trace(id)).filter((name) => name.startsWith("events."));
  await app.runJobs();
  expect(names()).toHaveLength(4);
  app.clock.advance(11 * 60_000);
  await app.runJobs();
  expect(names().sort()).toEqual([
    expect.stringMatching(/^events\.[0-9a-f]{12}\.index$/),
    expect.stringMatching(/^events\.[0-9a-f]{12}\.ndjson\.zst$/),
  ]);
  expect((await app.api(`/v1/traces/${id}/events?limit=1`)).status).toBe(200);
  await app.close();
});
