import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { createSections, failingFiles, tellFailures } from "./failure-report.ts";

/** Ten times and more what the slowest test takes on a machine that does nothing else. */
const TEST_TIMEOUT_MS = 120_000;
/** Bytes of output kept to find the closing summary in. */
const TAIL = 4096;

export interface TestRun {
  passed: number;
  failed: number;
  /** Files in which something failed, those that could not be loaded included; relative to the root. */
  failing: string[];
  /** A failure each: its place, the code around it and its message. */
  told: string[];
  /** What a file printed while it ran. */
  outputOf(file: string): string;
}

/** One process of `bun test` over these arguments, its output passed on as it comes. */
export async function runBunTest(
  root: string,
  options: string[],
  env: Record<string, string> = {},
): Promise<TestRun> {
  const reports = mkdtempSync(join(tmpdir(), "tracedeck-tests-"));
  const junit = join(reports, "junit.xml");
  const run = Bun.spawn(
    [
      process.execPath,
      "test",
      `--timeout=${TEST_TIMEOUT_MS}`,
      "--reporter=junit",
      `--reporter-outfile=${junit}`,
      ...options,
    ],
    { stdio: ["ignore", "inherit", "pipe"], cwd: root, env: { ...process.env, ...env } },
  );
  // Of a file elsewhere, the report gives the whole path.
  const fromRoot = (file: string) => relative(root, resolve(root, file));
  const decoder = new TextDecoder();
  const sections = createSections();
  let tail = "";
  for await (const chunk of run.stderr) {
    process.stderr.write(chunk);
    const text = decoder.decode(chunk, { stream: true });
    sections.take(text);
    tail = (tail + text).slice(-TAIL);
  }
  const exitCode = await run.exited;
  const passed = figure(tail, "pass");
  // A run that was killed leaves no report.
  const report = existsSync(junit) ? readFileSync(junit, "utf8") : "";
  rmSync(reports, { recursive: true, force: true });
  return {
    passed,
    // A run that died without a failing test to its name, or that found no test, has failed all the same.
    failed: figure(tail, "fail") || Number(exitCode !== 0 || passed === 0),
    failing: [...new Set([...failingFiles(report), ...sections.broken()].map(fromRoot))],
    told: [...tellFailures(report, (file) => readFileSync(join(root, file), "utf8")), ...sections.strays()],
    outputOf: sections.outputOf,
  };
}

/** A number of bun's closing summary. Its JUnit report is no substitute: files that fail to load are missing there. */
function figure(tail: string, name: "pass" | "fail"): number {
  const lines = Bun.stripANSI(tail).matchAll(new RegExp(`^ *(\\d+) ${name}$`, "gm"));
  return Number([...lines].at(-1)?.[1] ?? 0);
}
