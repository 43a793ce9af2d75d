import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zip } from "../helpers/bundles.ts";
import { scratchFolder } from "../helpers/program.ts";

const folder = scratchFolder();
afterAll(() => folder.remove());

const source = (path: string) => JSON.stringify(join(import.meta.dir, "../..", path));
const inFolder = (name: string) => JSON.stringify(join(folder.path, name));

/**
 * Runs a script in which no file grows past 64 KiB: a write past it takes what fits and says so, as on a disk that is nearly full. The
 * signal that goes with the limit would end the process, and is ignored.
 * @returns the code of what the script's promise `work` failed with
 */
function failureOf(script: string): string {
  const told = `${script}\nconsole.log(await work().then(() => "done", (error) => error.code));`;
  const shell = `trap '' XFSZ; ulimit -f 64; exec "$0" -e "$1"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", shell, process.execPath, told], { encoding: "utf8" });
  return `${stdout}${stderr}`.trim();
}

const NOISE = `const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64");`;

test("a DOM recording that the disk takes only a part of is an error, and no shorter recording", () => {
  const failure = failureOf(`
    import { createRrwebExtract } from ${source("server/trace/process/rrweb.ts")};
    ${NOISE}
    const extract = createRrwebExtract(${JSON.stringify(folder.path)}, () => null);
    const event = (seq) => ({ seq, ts: seq, kind: "dom.mutation", rrweb: { type: 3, timestamp: seq, data: noise() } });
    async function work() {
      for (let seq = 1; seq <= 4; seq++) await extract.add(event(seq));
      await extract.finish();
    }`);
  expect(failure).toBe("EFBIG");
});

test("an archive that the disk takes only a part of is an error when it is redacted", () => {
  const failure = failureOf(`
    import { redactArchive } from ${source("server/run/capture/archive-redaction.ts")};
    import { createRedactor } from ${source("server/run/redaction/redact.ts")};
    ${NOISE}
    const member = (at) => ({ name: "resources/" + at + ".bin", read: async () => Buffer.from(noise()) });
    const redactor = createRedactor({ secrets: {}, headers: [], patterns: [] });
    const work = () => redactArchive([1, 2, 3].map(member), ${inFolder("redacted.zip")}, redactor, () => {});`);
  expect(failure).toBe("EFBIG");
});

test("a trace of a blob report that the disk takes only a part of is an error", () => {
  const line = (method: string, params: unknown) => `${JSON.stringify({ method, params })}\n`;
  const events = [
    line("onBlobReportMetadata", { version: 2, pathSeparator: "/" }),
    line("onProject", {
      project: {
        name: "chromium",
        suites: [
          {
            title: "a.spec.ts",
            entries: [{ testId: "t", title: "pays", location: { file: "a.spec.ts", line: 3 } }],
          },
        ],
      },
    }),
    line("onTestBegin", { testId: "t", result: { id: "r", retry: 0, startTime: 1_772_366_400_000 } }),
    line("onAttach", {
      testId: "t",
      resultId: "r",
      attachments: [{ name: "trace", path: "resources/one.zip" }],
    }),
    line("onTestEnd", { test: { testId: "t" }, result: { id: "r", status: "failed", duration: 5 } }),
    line("onEnd", { result: { status: "failed", startTime: 1_772_366_400_000, duration: 9 } }),
  ];
  const trace = Buffer.alloc(200_000, "trace ");
  writeFileSync(
    join(folder.path, "report.zip"),
    zip([
      { name: "report.jsonl", content: events.join("") },
      { name: "resources/one.zip", content: trace },
    ]),
  );
  const failure = failureOf(`
    import { readReport } from ${source("server/trace/test-runs/read-report.ts")};
    const input = { path: ${inFolder("report.zip")}, folder: ${JSON.stringify(folder.path)}, maxUnpackedBytes: 1e8, now: 0 };
    const work = () => readReport(input);`);
  expect(failure).toBe("EFBIG");
});

test("a small file that the disk takes only a part of stays as it was, and nothing lies beside it", () => {
  writeFileSync(join(folder.path, "config.ts"), "as it was");
  const failure = failureOf(`
    import { writeFileAtomic } from ${source("server/platform/files.ts")};
    const work = async () => writeFileAtomic(${inFolder("config.ts")}, "x".repeat(100_000), { mode: 0o600 });`);
  expect(failure).toBe("EFBIG");
  expect(readFileSync(join(folder.path, "config.ts"), "utf8")).toBe("as it was");
  expect(readdirSync(folder.path).filter((name) => name.startsWith("config"))).toEqual(["config.ts"]);
});
