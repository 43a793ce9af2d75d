import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CredentialsFile } from "../../server/identity/orgs.ts";
import { RUN_WORKER } from "../../server/run/pool/command.ts";

const root = join(import.meta.dir, "..", "..");

/** The command line from its sources. */
export const SOURCE = [process.execPath, join(root, "cli.ts")];

/** Environment variable with the path of the executable that a run has built (`test/run.ts`). */
export const BUILT = "TESTED_EXECUTABLE";

const built = process.env[BUILT];

/**
 * The command line that tests start: the executable where there is one, since a start from the sources costs eight times as
 * much of the processor; else the sources.
 */
export const PROGRAM = built ? [built] : SOURCE;

/** The command line of the processes that carry runs out, for a server that begins at the sources. */
export const RUNNER = [...PROGRAM, RUN_WORKER];

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  /** Standard input; empty without it. */
  input?: string | Uint8Array;
  command?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** Runs the program to its end. */
export async function runProgram(args: string[], options: RunOptions = {}): Promise<Outcome> {
  const child = Bun.spawn([...(options.command ?? PROGRAM), ...args], {
    cwd: options.cwd ?? root,
    env: { PATH: process.env.PATH!, HOME: "/nonexistent", TMPDIR: tmpdir(), ...options.env },
    stdin: options.input === undefined ? "ignore" : Buffer.from(options.input as Uint8Array),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

export interface RunningServer {
  url: string;
  signinUrl: string;
  apiKey: string;
  orgId: string;
  pid: number;
  /** Calls the API with the owner's key. */
  api(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Everything written to standard error so far. */
  log(): string;
}

/** Starts `serve` on a data folder, port 0, and waits until it has said where it is. */
export async function startProgram(
  dataDir: string,
  options: RunOptions & { args?: string[] } = {},
): Promise<RunningServer> {
  const args = options.args ?? ["serve", "--no-open", "--port", "0"];
  const child = Bun.spawn([...(options.command ?? PROGRAM), ...args, "--data", dataDir], {
    cwd: options.cwd ?? root,
    env: { PATH: process.env.PATH!, HOME: "/nonexistent", TMPDIR: tmpdir(), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let log = "";
  const listening = (async () => {
    for await (const chunk of child.stderr) log += Buffer.from(chunk).toString();
  })();
  const ready = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const chunk of child.stdout) {
      said += Buffer.from(chunk).toString();
      if (/signin\?code=\S+\n/.test(said)) ready.resolve();
    }
    ready.reject(new Error(`The server ended before it was ready.\n${said}${log}`));
  })();
  await ready.promise;
  const credentials = (await Bun.file(join(dataDir, "credentials.json")).json()) as CredentialsFile;
  return {
    url: credentials.url,
    signinUrl: /http\S+signin\?code=\S+/.exec(said)![0],
    apiKey: credentials.api_key,
    orgId: credentials.org_id,
    pid: child.pid,
    api(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${credentials.api_key}`);
      return fetch(new URL(path, credentials.url), { redirect: "manual", ...init, headers });
    },
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await child.exited;
      await Promise.all([reading.catch(() => {}), listening]);
      return child.exitCode;
    },
    log: () => log,
  };
}

/** A new empty folder, removed by `remove`. */
export function scratchFolder(): { path: string; at: (...parts: string[]) => string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "tracedeck-program-"));
  return {
    path,
    at: (...parts) => join(path, ...parts),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
