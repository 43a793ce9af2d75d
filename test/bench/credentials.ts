import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../server/config.ts";
import { createSecret, hashSecret } from "../../server/identity/key-secrets.ts";
import { createRuntime, type Runtime } from "../../server/main.ts";
import { systemClock } from "../../server/platform/clock.ts";
import { createIds } from "../../server/platform/ids.ts";
import { createLog } from "../../server/platform/log.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

/** Keys in the table, how many programs use theirs over and over, and how often each figure is measured. */
const FULL = { keys: 100_000, users: 1_000, checks: 200_000 };
const SMALL: typeof FULL = { keys: 500, users: 50, checks: 500 };
const TARGET_US = 50;
const SCOPES = JSON.stringify(["traces:read", "traces:write"]);

/** What it costs to know whose a credential is, beside the bare lookup of the same table by its index. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const sizes = isSmall ? SMALL : FULL;
  const dataDir = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  const log = createLog({ clock: systemClock, level: "error", write: (line) => process.stderr.write(line) });
  const runtime = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}), { log });
  try {
    const { database } = runtime.deps.store.layout;
    const secrets = fill(database, runtime.credentials.org_id, sizes.keys);
    return await compare(runtime, database, secrets, sizes);
  } finally {
    await runtime.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function fill(database: string, orgId: string, count: number): string[] {
  const ids = createIds(systemClock);
  const sqlite = new Database(database);
  const insert = sqlite.prepare(
    "INSERT INTO api_keys (id, org_id, kind, name, prefix, hash, scopes, created_at) VALUES (?, ?, 'svc', 'k', ?, ?, ?, ?)",
  );
  const secrets: string[] = [];
  sqlite.transaction(() => {
    for (let made = 0; made < count; made++) {
      const { secret, prefix } = createSecret("svc", ids);
      insert.run(ids.uuid(), orgId, prefix, hashSecret(secret), SCOPES, systemClock.now());
      secrets.push(secret);
    }
  })();
  sqlite.close();
  return secrets;
}

async function compare(
  { deps }: Runtime,
  database: string,
  secrets: string[],
  { users, checks }: typeof FULL,
): Promise<BenchResult[]> {
  const sqlite = new Database(database, { readonly: true });
  const lookUp = sqlite.prepare("SELECT * FROM api_keys WHERE hash = ?");
  const bare = async (secret: string) => void lookUp.get(hashSecret(secret));
  const check = async (_: string, request: Request) =>
    void (await deps.credentials.check(request, "/v1/traces"));
  const known = (count: number) => (index: number) => (index * 7919) % count;
  const kinds = [
    { what: "of programs that come again and again", pick: known(Math.min(users, secrets.length)) },
    { what: "of any of all keys", pick: known(secrets.length) },
  ];
  const results: BenchResult[] = [];
  for (const { what, pick } of kinds) {
    // Once through: what is measured is a server that has been up for a while.
    const times = (act: typeof check) => timesOf(act, secrets, pick, checks);
    await times(check);
    const [ours, theirs] = [await times(check), await times(bare)];
    const [a, b] = [p99(ours), p99(theirs)];
    results.push({
      name: `credential check ${what} at ${secrets.length.toLocaleString("en-GB")} keys, p99`,
      ratio: a / b,
      target: `p99 ≤ ${TARGET_US} µs`,
      ok: a <= TARGET_US,
      detail: `${a.toFixed(1)} µs against ${b.toFixed(1)} µs for hash and bare lookup`,
    });
  }
  sqlite.close();
  return results;
}

/** Microseconds of each. */
async function timesOf(
  act: (secret: string, request: Request) => Promise<void>,
  secrets: readonly string[],
  pick: (index: number) => number,
  count: number,
): Promise<Float64Array> {
  const times = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const secret = secrets[pick(index)]!;
    const request = new Request("http://localhost/v1/traces", {
      headers: { authorization: `Bearer ${secret}` },
    });
    const started = Bun.nanoseconds();
    await act(secret, request);
    times[index] = (Bun.nanoseconds() - started) / 1000;
  }
  return times;
}

const p99 = (times: Float64Array): number => times.toSorted()[Math.floor(times.length * 0.99)]!;
