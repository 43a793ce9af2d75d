import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "../../server/cli/program.ts";
import { blob, bundle, eventLines, events, manifest } from "../helpers/bundles.ts";
import { commandsOf } from "../helpers/commands.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";

setDefaultTimeout(120_000);

interface Report {
  ok: boolean;
  checks: { name: string; ok: boolean; detail: string }[];
  repairs?: string[];
}

let scratch: ReturnType<typeof scratchFolder>;
let data: string;
beforeEach(() => {
  scratch = scratchFolder();
  data = scratch.at("data");
});
afterEach(() => scratch.remove());

const at = (...parts: string[]) => join(data, ...parts);
/** With a port that is always free: other programs of the machine are none of the folder's. */
const run = (...args: string[]) =>
  runProgram([...args, "--data", data], { env: { TRACEDECK_PORT: "0" }, input: "a value" });
const doctor = async (...args: string[]) => {
  const { stdout, code } = await run("doctor", "--json", ...args);
  return { code, report: JSON.parse(stdout) as Report };
};
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

function removeRecords() {
  for (const end of ["", "-wal", "-shm"]) rmSync(at(`tracedeck.db${end}`), { force: true });
}

async function ingest(slug: string): Promise<string> {
  writeFileSync(scratch.at("bundle"), bundle([manifest(), events(eventLines(9)), blob(`blob of ${slug}`)]));
  const { stdout } = await run("ingest", scratch.at("bundle"), "--scenario", slug, "--json");
  return (JSON.parse(stdout) as { trace_id: string }).trace_id;
}

/** What these do needs no store. */
const WITHOUT = [
  "scenarios check",
  "scenarios new",
  "scenarios schema",
  "playwright init",
  "synthetic init",
  "licenses",
  "cron next",
];
/** Puts records into the folder; its own tests say when it does not. */
const RESTORE = "restore";
const SOME = ["serve", "demo", "ingest", "traces", "keys", "backup", "doctor"];

/** Every command that opens the store, with the arguments that it has to have. */
function openingCommands(): string[][] {
  const scenario = "---\nslug: a\ntitle: A\n---\n1. wait 1ms\n";
  mkdirSync(scratch.at("scenarios"));
  writeFileSync(scratch.at("scenarios", "a.scenario.md"), scenario);
  const id = "01912d3c-7b1e-7cc0-a111-000000000000";
  const given: Record<string, string[]> = {
    serve: ["--no-open", "--port", "0"],
    demo: ["--no-open", "--port", "0"],
    ingest: [scratch.at("bundle"), "--scenario", "one"],
    run: [scratch.at("scenarios", "a.scenario.md")],
    backup: [scratch.at("backup")],
    gate: ["--pr", "1", "--head", "a".repeat(40), "--base", "b".repeat(40)],
    doctor: ["--repair"],
    "scenarios sync": [scratch.at("scenarios")],
    "keys create": ["--name", "mine"],
    "secrets set": ["KEY"],
    "secrets rm": ["KEY"],
    "checks update": [id, "--cron", "*/5 * * * *"],
    "checks pause": [id, "--hours", "1"],
    "incidents suppress": [id, "--for", "1h", "--reason", "known"],
  };
  return commandsOf(createProgram())
    .filter(({ words }) => words !== RESTORE && !WITHOUT.includes(words))
    .map(({ words, command }) => [
      ...words.split(" "),
      ...(given[words] ?? command.registeredArguments.filter(({ required }) => required).map(() => id)),
    ]);
}

describe("a folder whose records are gone", () => {
  beforeEach(async () => {
    await ingest("one");
    await ingest("two");
    mkdirSync(at("cold"));
    writeFileSync(at("cold", "01912d3c-7b1e-7cc0-a111-000000000000.zip"), "a pack");
  });

  test.each(["missing", "empty", "copied without its log"])(
    "is refused by every command that would begin a new store there when they are %s, and stays as it is",
    async (how) => {
      removeRecords();
      if (how === "empty") writeFileSync(at("tracedeck.db"), "");
      if (how === "copied without its log") {
        const blank = Buffer.alloc(4096);
        blank.write("SQLite format 3\0", "latin1");
        writeFileSync(at("tracedeck.db"), blank);
      }
      const before = filesOf(data);
      const credentials = readFileSync(at("credentials.json"), "utf8");
      const commands = openingCommands();
      expect(commands.length).toBeGreaterThan(20);
      // Whether the file is missing or empty is for all of them to find out; how it came to be empty, for some.
      for (const args of commands.filter(([name]) => how === "missing" || SOME.includes(name!))) {
        const { code, stdout, stderr } = await run(...args);
        expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
        expect(stderr.trim().split("\n")).toHaveLength(1);
        expect(stderr).toContain(`tracedeck.db is ${how === "missing" ? "missing" : "empty"}`);
        expect(stderr).toContain("2 traces, 2 blobs, 1 cold pack, signing.key, credentials.json");
        expect(stderr).toMatch(/restore FILE --force.*doctor --rebuild.*move these files away/);
      }
      expect(filesOf(data)).toEqual(before);
      expect(readFileSync(at("credentials.json"), "utf8")).toBe(credentials);
      const { code, report } = await doctor();
      expect(code).toBe(1);
      expect(report.checks[0]).toMatchObject({ name: "store", ok: false });
      expect(report.checks[0]!.detail).toContain("2 traces");
      expect(filesOf(data)).toEqual(before);
    },
  );

  test("counts the packs of a cold folder that lies elsewhere", async () => {
    removeRecords();
    mkdirSync(scratch.at("archive"));
    writeFileSync(scratch.at("archive", "01912d3c-7b1e-7cc0-a111-000000000000.zip"), "a pack");
    rmSync(data, { recursive: true });
    mkdirSync(data);
    writeFileSync(at("settings.json"), JSON.stringify({ cold_dir: scratch.at("archive") }));
    const { code, stderr } = await run("traces", "list");
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("still holds 1 cold pack:"),
    });
  });

  test("begins anew once what was in it has been moved away", async () => {
    removeRecords();
    for (const name of ["traces", "blobs", "cold", "signing.key", "credentials.json"])
      rmSync(at(name), { recursive: true });
    expect(await run("traces", "list")).toMatchObject({ code: 0 });
  });
});

test("a repair never deletes what could be a trace: files that no record names are set aside, and counted", async () => {
  const kept = await ingest("kept");
  const lost = filesOf(at("traces", kept));
  mkdirSync(at("traces", "01912d3c-7b1e-7cc0-a111-000000000000"));
  const old = new Date(Date.now() - 2 * 60 * 60_000);
  for (const name of lost) {
    const path = at("traces", "01912d3c-7b1e-7cc0-a111-000000000000", name);
    writeFileSync(path, readFileSync(at("traces", kept, name)));
    utimesSync(path, old, old);
  }
  writeFileSync(at("tmp", "half"), "half an upload");
  utimesSync(at("tmp", "half"), old, old);
  const { code, report } = await doctor("--repair");
  expect(code).toBe(0);
  const [time] = readdirSync(at("strays"));
  expect(filesOf(at("strays", time!, "traces", "01912d3c-7b1e-7cc0-a111-000000000000"))).toEqual(lost);
  expect(report.repairs!.join("\n")).toMatch(
    new RegExp(`moved ${lost.length} stray files, \\d.* to ${at("strays", time!)}`),
  );
  expect(report.repairs!.join("\n")).toMatch(/removed 1 stray file, 14 B/);
  expect(existsSync(at("traces", "01912d3c-7b1e-7cc0-a111-000000000000"))).toBe(false);
  expect(filesOf(at("traces", kept))).toEqual(lost);
});

test("on a folder without a store `doctor` says so first, and does not call keys whole that are not there", async () => {
  for (const make of [() => {}, () => mkdirSync(data), () => writeFileSync(at("tracedeck.db"), "")]) {
    make();
    const { code, report } = await doctor();
    expect({ code, ok: report.ok }).toEqual({ code: 1, ok: false });
    expect(report.checks[0]).toMatchObject({ name: "store", ok: false });
    expect(report.checks[0]!.detail).toContain(`${data} has no store`);
    expect(report.checks.find(({ name }) => name === "keys")!.detail).not.toContain("whole");
    const { stdout } = await run("doctor");
    expect(stdout.split("\n")[0]).toMatch(/^PROBLEM +store: .* has no store/);
    expect(await run("doctor", "--repair")).toMatchObject({ code: 1, stdout: "" });
  }
});
