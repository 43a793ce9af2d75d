import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, type Flags, loadConfig } from "../../server/config.ts";
import { listen } from "../../server/listen.ts";
import { createRuntime } from "../../server/main.ts";
import type { Clock } from "../../server/platform/clock.ts";
import type { LookAtDisk } from "../../server/platform/disk.ts";
import { createLog } from "../../server/platform/log.ts";
import { dataFolder } from "../../store/data-folder.ts";
import { freshRecords } from "./fresh-records.ts";
import { RUNNER } from "./program.ts";
import { lendWorker } from "./workers.ts";

/** A clock that stands until a test moves it; whoever sleeps wakes when it passes their time. */
export interface TestClock extends Clock {
  /** Both clocks go on by `ms`. */
  advance(ms: number): void;
  /** The wall clock jumps, either way; the monotonic one stays. */
  set(ms: number): void;
}

export function createTestClock(start = Date.parse("2026-03-01T12:00:00.000Z")): TestClock {
  let now = start;
  let monotonic = 0;
  const sleepers = new Set<{ until: number; wake: () => void }>();
  return {
    now: () => now,
    monotonic: () => monotonic,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted || ms <= 0) return resolve();
        const sleeper = { until: monotonic + ms, wake };
        function wake() {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", wake);
          resolve();
        }
        sleepers.add(sleeper);
        signal?.addEventListener("abort", wake, { once: true });
      }),
    advance(ms) {
      now += ms;
      monotonic += ms;
      for (const sleeper of [...sleepers]) if (sleeper.until <= monotonic) sleeper.wake();
    },
    set(ms) {
      now = ms;
    },
  };
}

/** The level of zstd that a real server stores finished events at takes a hundred times as much of the processor. */
const QUICK_LEVEL = 3;

export interface TestAppOptions {
  clock?: TestClock;
  /** Written to settings.json as they are. */
  settings?: Record<string, unknown>;
  config?: Partial<Config>;
  flags?: Flags;
  /** What the disks are said to have. */
  disk?: LookAtDisk;
  /** The address that a request is said to come from; without it, calls by `api` come from none. */
  peerOf?: (request: Request) => string | null;
  /** The id of this server; without it, the data folder's own. */
  serverId?: string;
  /** The level of zstd that finished events are stored at; without it, a quick one. */
  finishedLevel?: number;
  /** An existing data folder; it is then not removed. */
  dataDir?: string;
}

export type TestApp = Awaited<ReturnType<typeof testApp>>;

/**
 * The whole server on a folder of its own, without a socket. `api` calls it as the owner's key does, unless the headers
 * of the call say otherwise (`authorization: ""` takes the key away). Jobs run only by `runJobs`, checks fire only
 * by `tick`.
 */
export async function testApp(options: TestAppOptions = {}) {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "tracedeck-test-"));
  const clock = options.clock ?? createTestClock();
  mkdirSync(dataDir, { recursive: true });
  // What becomes of a folder that has files and no records is for those to see who bring the folder.
  if (readdirSync(dataDir).length === 0) await freshRecords(dataFolder(dataDir).database);
  if (options.settings)
    writeFileSync(join(dataDir, "settings.json"), JSON.stringify(options.settings, null, 2));
  const config = { ...loadConfig({ ...options.flags, data: dataDir, port: 0 }, {}), ...options.config };
  const logged: string[] = [];
  const told: string[] = [];
  const log = createLog({ clock, level: "debug", write: (line) => logged.push(line) });
  const runtime = await createRuntime(config, {
    clock,
    log,
    tellOperator: (text) => void told.push(text),
    runner: RUNNER,
    worker: lendWorker,
    // What people's passwords take is for `passwords.test.ts` to see.
    passwordCost: { memoryCost: 64, timeCost: 1 },
    finishedLevel: options.finishedLevel ?? QUICK_LEVEL,
    commands: async () => {
      const { createProgram } = await import("../../server/cli/program.ts");
      return (await import("../../server/cli/describe.ts")).describeCommands(createProgram());
    },
    ...(options.disk ? { disk: options.disk } : {}),
    ...(options.serverId ? { serverId: options.serverId } : {}),
    ...(options.peerOf ? { peerOf: options.peerOf } : {}),
  });
  const { deps, app, credentials } = runtime;

  async function api(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", "localhost");
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${credentials.api_key}`);
    if (headers.get("authorization") === "") headers.delete("authorization");
    return app.handle(new Request(`http://localhost${path}`, { ...init, headers }));
  }

  async function close(): Promise<void> {
    await runtime.close();
    if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
  }

  return {
    api,
    app,
    deps,
    clock,
    runtime,
    dataDir,
    /** Lines of the log so far. */
    logged,
    /** What the server's terminal was told so far. */
    told,
    store: deps.store,
    orgId: credentials.org_id,
    userId: credentials.user_id,
    apiKey: credentials.api_key,
    runJobs: () => runtime.jobs.runDue(),
    /** One look of the scheduler at the clock. */
    tick: () => runtime.scheduler.tick(),
    /** Opens a real socket on a free port and returns its base URL. */
    listen: () => `http://localhost:${listen(app, config)}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}
