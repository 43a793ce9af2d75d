import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { bundle, eventLines, events, manifest, playwrightZip } from "../helpers/bundles.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";

setDefaultTimeout(120_000);

const EVENTS = 50;
const failing = (seq: number) =>
  seq === 30 ? { kind: "assertion", ok: false, message: "expected 3 items", step_id: "step-3" } : {};

interface Listed {
  items: { id: string; short_id: string; status: string; pinned: boolean }[];
}

describe.each(["without a server", "beside a running server"])("traces from the command line, %s", (mode) => {
  const scratch = scratchFolder();
  const data = scratch.at("data");
  const file = scratch.at("bundle.tar.zst");
  let server: RunningServer | null = null;
  let id = "";
  let shortId = "";

  beforeAll(async () => {
    writeFileSync(file, bundle([manifest(), events(eventLines(EVENTS, failing))]));
    writeFileSync(scratch.at("trace.zip"), playwrightZip());
    if (mode !== "without a server") server = await startProgram(data);
  });

  afterAll(async () => {
    await server?.stop();
    scratch.remove();
  });

  const run = (...args: string[]) => runProgram([...args, "--data", data]);

  async function json<T>(...args: string[]): Promise<T> {
    const { stdout, stderr, code } = await run(...args, "--json");
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as T;
  }

  test("ingest takes a bundle in and waits for how it ended", async () => {
    const answer = await json<{ trace_id: string; short_id: string; status: string }>(
      ...[
        "ingest",
        file,
        "--scenario",
        "checkout",
        "--source",
        "pr",
        "--commit",
        "abc123",
        "--pr",
        "7",
        "--run",
        "ci-71",
        "--attempt",
        "2",
        "--wait",
      ],
    );
    expect(answer.status).toBe("failed");
    id = answer.trace_id;
    shortId = answer.short_id;
    const detail = await json<Record<string, unknown>>("traces", "show", id);
    expect(detail).toMatchObject({
      code_sha: "abc123",
      pr_number: 7,
      run_id: "ci-71",
      attempt: 2,
      source: "pr",
      scenario_slug: "checkout",
    });
  });

  test("a file that is refused does not keep the others out, and the exit code tells", async () => {
    writeFileSync(scratch.at("broken.zip"), "PK nothing");
    const files = [scratch.at("broken.zip"), scratch.at("trace.zip")];
    const { code, stdout, stderr } = await run("ingest", ...files, "--scenario", "mixed", "--json");
    expect(code).toBe(1);
    expect(stderr).toContain("broken.zip");
    expect(JSON.parse(stdout)).toHaveLength(1);
    const alone = await run("ingest", files[0]!, "--scenario", "mixed", "--json");
    expect(alone.code).toBe(1);
    expect(JSON.parse(alone.stdout)).toEqual({
      error: "bundle_unreadable",
      message: expect.stringMatching(/\w/),
    });
  });

  test("list shows what is there and filters it", async () => {
    const failed = await json<Listed>("traces", "list", "--status", "failed");
    expect(failed.items.map((item) => item.id)).toEqual([id]);
    expect(
      (await json<Listed>("traces", "list", "--scenario", "checkout", "--q", "expected 3 items")).items,
    ).toHaveLength(1);
    expect((await json<Listed>("traces", "list", "--q", "zebra")).items).toEqual([]);
    expect(
      (await json<Listed>("traces", "list", "--q", "status:failed after:1d dur:<1h")).items,
    ).toHaveLength(1);
    expect((await json<Listed>("traces", "list", "--q", "-status:failed scenario:checkout")).items).toEqual(
      [],
    );
    const wrong = await run("traces", "list", "--q", "after:yestrday");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("yesterday");
    const { stdout } = await run("traces", "list", "--limit", "10");
    expect(stdout).toContain(shortId);
    expect(stdout).toContain("failed");
  });

  test("show takes the link of a trace's page, and hides links that carry permission", async () => {
    const { stdout } = await run("traces", "show", `http://localhost:4173/traces/${shortId}?step=step-3`);
    expect(stdout).toContain(id);
    expect(stdout).not.toContain("sig=");
    expect(stdout).not.toContain("signed_urls");
  });

  test("events filters by kind, step, text and place", async () => {
    const page = await json<{ events: { seq: number }[]; total: number }>(
      ...["traces", "events", shortId, "--kind", "console.*", "--from-seq", "10", "--limit", "5"],
    );
    expect(page.events.map((event) => event.seq)).toEqual([10, 11, 12, 13, 14]);
    const { stdout } = await run("traces", "events", id, "--step", "step-3");
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stdout).toContain("! assertion");
    expect(stdout).toContain("expected 3 items");
  });

  test("events come whole also where one answer of the server has no room for them", async () => {
    const texts = Array.from({ length: 15 }, () => "x".repeat(200_000));
    const long = scratch.at("long.tar.zst");
    writeFileSync(long, bundle([manifest(), events(eventLines(6, () => ({ texts })))]));
    const { trace_id } = await json<{ trace_id: string }>("ingest", long, "--scenario", "long");
    const page = await json<{ events: { seq: number }[]; total: number; next_offset: number | null }>(
      ...["traces", "events", trace_id, "--offset", "1", "--limit", "4"],
    );
    expect(page.events.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
    expect([page.total, page.next_offset]).toEqual([6, 5]);
  });

  test("a trace is written as one page, of the size that was asked for or not at all", async () => {
    const out = scratch.at("exported.html");
    const answer = await json<{ file: string; size: number; left_out: unknown }>(
      ...["traces", "export", shortId, "--html", "--out", out],
    );
    expect(answer).toMatchObject({ file: out, size: statSync(out).size, left_out: { count: 0, bytes: 0 } });
    expect(await Bun.file(out).text()).toEndWith("</html>\n");
    const wrong = await run("traces", "export", shortId, "--max-bytes", "2000000");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--html")]);
    const small = await run("traces", "export", shortId, "--html", "--max-bytes", "5", "--out", out);
    expect(small.code).toBe(2);
  });

  test("an exported trace comes back with the same events", async () => {
    const out = scratch.at("exported.tar.zst");
    const { stdout } = await run("traces", "export", shortId, "--out", out);
    expect(stdout).toContain(out);
    const back = await json<{ trace_id: string; status: string }>(
      "ingest",
      out,
      "--scenario",
      "checkout",
      "--wait",
    );
    expect(back.status).toBe("failed");
    const eventsOf = (trace: string) => json<unknown>("traces", "events", trace, "--limit", "1000");
    expect(await eventsOf(back.trace_id)).toEqual(await eventsOf(id));
  });

  test("nothing but a plain file is replaced by what a command writes", async () => {
    const pipe = scratch.at(`pipe-${mode.length}`);
    spawnSync("mkfifo", [pipe]);
    for (const args of [
      ["traces", "export", shortId, "--out", pipe],
      ["backup", pipe],
    ]) {
      const { code, stderr } = await run(...args);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("a device or pipe") });
      expect(statSync(pipe).isFIFO()).toBe(true);
    }
  });

  test("a pinned trace goes only by force", async () => {
    expect(await json<unknown>("traces", "pin", shortId)).toEqual({ pinned: true });
    const refused = await run("traces", "rm", id);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("add --force");
    expect(await json<unknown>("traces", "unpin", id)).toEqual({ pinned: false });
    expect((await run("traces", "pin", id)).code).toBe(0);
    expect((await run("traces", "rm", id, "--force")).code).toBe(0);
    expect((await run("traces", "show", id)).code).toBe(1);
    const gone = await run("traces", "show", shortId, "--json");
    expect(JSON.parse(gone.stdout)).toMatchObject({ error: "not_found" });
    // Whoever looks in another folder than they think sees which.
    expect(gone.stderr).toContain(data);
    const none = await run("checks", "list");
    expect([none.code, none.stdout, none.stderr]).toEqual([0, "", "There are none.\n"]);
  });

  test("open says of a file that is not there that it is not there", async () => {
    if (mode === "without a server") return;
    const { code, stderr } = await run("open", scratch.at("no such.zip"), "--no-open");
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no file or folder")]);
  });
});

describe("beside a running server", () => {
  const scratch = scratchFolder();
  const data = scratch.at("data");
  const file = scratch.at("Checkout run.tar.zst");
  let server: RunningServer;

  beforeAll(async () => {
    writeFileSync(file, bundle([manifest(), events(eventLines(EVENTS, failing))]));
    server = await startProgram(data);
  });

  afterAll(async () => {
    await server.stop();
    scratch.remove();
  });

  test("open --no-open prints a link that signs in and leads to the failed step", async () => {
    const { stdout, code } = await runProgram(["open", file, "--no-open", "--data", data]);
    expect(code).toBe(0);
    const link = new URL(stdout.trim());
    expect(link.origin).toBe(server.url);
    expect(link.searchParams.get("next")).toMatch(/^\/traces\/[0-9a-f-]{36}\?step=step-3$/);
    const answer = await fetch(link, { redirect: "manual" });
    expect(answer.headers.get("location")).toBe(link.searchParams.get("next"));
  });

  test("ingest goes to another server by address and key", async () => {
    const { stdout, code, stderr } = await runProgram(
      [
        "ingest",
        file,
        "--scenario",
        "elsewhere",
        "--server",
        server.url,
        "--api-key",
        server.apiKey,
        "--json",
      ],
      { env: { TRACEDECK_DATA: scratch.at("unused") } },
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toHaveProperty("short_id");
    expect(existsSync(scratch.at("unused"))).toBe(false);
  });
});

describe("open without a server", () => {
  test("starts one, which stays until it is stopped", async () => {
    const scratch = scratchFolder();
    const file = scratch.at("trace.zip");
    writeFileSync(file, playwrightZip());
    const server = await startProgram(scratch.at("data"), {
      args: ["open", file, "--no-open", "--port", "0"],
    });
    const list = (await (await server.api("/v1/traces")).json()) as {
      items: { scenario_slug: string }[];
    };
    expect(list.items.map((item) => item.scenario_slug)).toEqual(["trace"]);
    expect(await server.stop("SIGINT")).toBe(0);
    scratch.remove();
  });
});
