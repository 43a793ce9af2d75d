import { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";
import { systemClock } from "../../server/platform/clock.ts";
import { createIds } from "../../server/platform/ids.ts";
import { createLog } from "../../server/platform/log.ts";
import { encodeCursor } from "../../server/trace/traces/cursor.ts";
import { sqliteEngine } from "../../store/records/engine/sqlite/engine.ts";
import { traceListQuery } from "../../store/records/trace-list.ts";
import { traceCreatedAt } from "../../store/records/traces.ts";
import { executable } from "../helpers/executable.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

/** Traces of the two servers, requests of each kind, and how long and how often each server is asked as fast as it answers. */
const FULL = { small: 1_000, large: 1_000_000, rounds: 150, loadMs: 2_000, loads: 3 };
const SMALL: typeof FULL = { small: 200, large: 1_000, rounds: 3, loadMs: 200, loads: 1 };
const SCENARIOS = 20;
const LOADERS = 8;
const RATE = 1_000_000_000;

interface Side {
  dataDir: string;
  orgId: string;
  key: string;
  scenarioId: string;
  /** Near the end of the list. */
  deep: string;
}

/** Lists, filters and searches at 1,000,000 traces against the same at 1,000, and requests per second against a bare server. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const sizes = isSmall ? SMALL : FULL;
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  const children: Bun.Subprocess[] = [];
  try {
    const small = await fill(join(folder, "small"), sizes.small);
    const large = await fill(join(folder, "large"), sizes.large);
    const binary = await executable();
    const serve = async (side: Side) => {
      const port = await freePort();
      const args = ["serve", "--no-open", "--port", String(port), "--data", side.dataDir];
      children.push(Bun.spawn([binary, ...args], { stdio: ["ignore", "ignore", "ignore"] }));
      return ready(`http://127.0.0.1:${port}`, "/readyz");
    };
    const [atSmall, atLarge] = [await serve(small), await serve(large)];
    const results = await compareSizes({ small, atSmall, large, atLarge }, sizes);
    const port = await freePort();
    const source = join(folder, "bare.ts");
    writeFileSync(source, bareServer(large, port));
    children.push(Bun.spawn([process.execPath, source], { stdio: ["ignore", "ignore", "inherit"] }));
    const bare = await ready(`http://127.0.0.1:${port}`, "/");
    results.push(await compareThroughput(atLarge, large.key, bare, sizes));
    return results;
  } finally {
    for (const child of children) {
      child.kill();
      await child.exited;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Traces as a busy team has them: a fifth failed, a few aborted, words that all, some and one of them have. */
async function fill(dataDir: string, count: number): Promise<Side> {
  const config = loadConfig({ data: dataDir, port: 0 }, {});
  const log = createLog({ clock: systemClock, level: "error", write: (line) => process.stderr.write(line) });
  const runtime = await createRuntime(config, { log });
  const orgId = runtime.credentials.org_id;
  const { database } = runtime.deps.store.layout;
  await runtime.close();
  const sqlite = new Database(database);
  const now = Date.parse("2026-01-01T00:00:00Z");
  const ids = createIds({ now: () => now });
  const scenarios = Array.from({ length: SCENARIOS }, () => ids.uuid());
  for (const [index, id] of scenarios.entries())
    sqlite.run(
      "INSERT INTO scenarios (id, org_id, slug, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
      [id, orgId, `flow-${index}`, `Flow ${index}`, now, now],
    );
  sqlite.exec("PRAGMA synchronous = OFF");
  sqlite.exec(`CREATE TEMP TABLE flows (number INTEGER PRIMARY KEY, id TEXT);
    CREATE TEMP TABLE made (number INTEGER PRIMARY KEY, at INTEGER, id TEXT)`);
  for (const [index, id] of scenarios.entries()) sqlite.run("INSERT INTO flows VALUES (?, ?)", [index, id]);
  sqlite.transaction(() => {
    sqlite.run(MADE, [count, now + 1000]);
    withoutIndexing(sqlite, () => sqlite.run(TRACES, [orgId, count >> 1]));
    sqlite.run(WORDS);
  })();
  const { id: last } = sqlite
    .query<{ id: string }, [number]>("SELECT id FROM made WHERE number = ?")
    .get(Math.floor(count / 100) + 60)!;
  sqlite.close();
  const limits = { reads_per_minute: RATE, writes_per_minute: RATE, ingests_per_minute: RATE };
  const settings = { rate_limits: limits, retention: { hot_days: 10_000, warm_days: 10_000 } };
  writeFileSync(join(dataDir, "settings.json"), JSON.stringify(settings));
  const { api_key } = JSON.parse(readFileSync(join(dataDir, "credentials.json"), "utf8")) as {
    api_key: string;
  };
  const deep = encodeCursor({ createdAt: traceCreatedAt(last), id: last });
  return { dataDir, orgId, key: api_key, scenarioId: scenarios[3]!, deep };
}

/** One id a second, as UUIDv7 has them. */
const MADE = `INSERT INTO made
  WITH RECURSIVE numbers (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < ?1)
  SELECT number, at, substr(hex, 1, 8) || '-' || substr(hex, 9) || '-7000-8000-' || printf('%012x', number)
  FROM (SELECT number, ?2 + number * 1000 AS at, printf('%012x', ?2 + number * 1000) AS hex FROM numbers)`;

const TRACES = `INSERT INTO traces (ord, id, org_id, short_id, scenario_id, scenario_slug, scenario_title, status, tier,
    pinned, source, failure_signature, failure_message, code_sha, created_at, aged_from, duration_ms, event_count,
    total_size_bytes, search_version)
  SELECT at * 4096, id, ?1, replace(printf('%012x', number), '0', 'z'), flow, 'flow-' || (number % ${SCENARIOS}),
    'Checkout flow ' || (number % ${SCENARIOS}),
    CASE WHEN number = ?2 THEN 'aborted' WHEN is_failed THEN 'failed' ELSE 'passed' END,
    iif(number % 3 = 0, 'warm', 'hot'), is_failed,
    CASE number % 4 WHEN 0 THEN 'pr' WHEN 1 THEN 'schedule' WHEN 2 THEN 'manual' END,
    iif(is_failed, 'sig_' || (number % 30), NULL),
    iif(is_failed, printf('Timeout of %d s waiting for the button', number % 30), NULL),
    '0123456789abcdef', at, at, 1000, 500, 100000, 1000
  FROM (SELECT m.number, m.id, f.id AS flow, m.at, m.number % 5 = 0 AS is_failed
    FROM made m JOIN flows f ON f.number = m.number % ${SCENARIOS}) ORDER BY number`;

const WORDS = `INSERT INTO traces_fts (rowid, tags, title, failure, console, requests)
  SELECT t.ord, t.tags || t.more_tags, t.scenario_title, coalesce(t.failure_message, ''), 'warning w' || (m.number % 1000),
    'https://shop.example/api/cart https://shop.example/item/' || m.number
  FROM made m JOIN traces t ON t.id = m.id ORDER BY m.number`;

/** Words are added with the rest of the text, once. */
function withoutIndexing(sqlite: Database, work: () => void): void {
  const { sql } = sqlite
    .query<{ sql: string }, []>("SELECT sql FROM sqlite_master WHERE name = 'traces_fts_insert'")
    .get()!;
  sqlite.exec("DROP TRIGGER traces_fts_insert");
  work();
  sqlite.exec(sql);
}

/** What facets are counted within; of a text the newest 10,000 traces are looked at. */
const FACETS: Record<string, (side: Side) => string> = {
  "of all": () => "",
  "within a status": () => "status=failed",
  "within a scenario": ({ scenarioId }) => `scenario_id=${scenarioId}`,
  "within a failure": () => "signature=sig_5",
  "within a word of all": () => "q=checkout",
};

const QUERIES: Record<string, (side: Side) => string> = {
  "first page": () => "",
  "deep page": ({ deep }) => `cursor=${deep}`,
  "one filter": () => "status=failed",
  "rare filter": () => "status=aborted",
  "two filters": () => "status=failed&tier=warm",
  "three filters, none": () => "status=aborted&tier=warm&source=manual",
  "scenario and status": ({ scenarioId }) => `scenario_id=${scenarioId}&status=passed`,
  "scenario and status, none": ({ scenarioId }) => `scenario_id=${scenarioId}&status=error`,
  signature: () => "signature=sig_5",
  "signature and source": () => "signature=sig_5&source=schedule",
  "word of all": () => "q=checkout",
  "word of all, deep": ({ deep }) => `q=checkout&cursor=${deep}`,
  "word of all, rare filter": () => "q=checkout&status=aborted",
  "word of one": () => "q=777",
  "two words": () => "q=shop.example+timeout",
  phrase: () => "q=%22waiting+for+the+button%22",
  beginning: () => "q=check*",
  "no hit": () => "q=nowhere",
};

/** All that there is, the last hours of it in part. */
const PERIOD = "from=2025-12-31T22:30:00Z&to=2026-01-12T13:30:00Z";
/** What is told of many traces at once. */
const TOLD: Record<string, readonly [path: string, query: (side: Side) => string]> = {
  "period and status": ["/v1/traces", () => `status=failed&${PERIOD}`],
  storage: ["/v1/storage", () => ""],
  "failures of a long period": ["/v1/failures", () => PERIOD],
  "failures of a long period, of a source": ["/v1/failures", () => `${PERIOD}&source=pr`],
};
async function compareSizes(
  sides: { small: Side; atSmall: string; large: Side; atLarge: string },
  sizes: typeof FULL,
): Promise<BenchResult[]> {
  const [least, most] = [sizes.small, sizes.large].map((count) => count.toLocaleString("en-GB"));
  const asked = [
    ...Object.entries(QUERIES).map(([name, query]) => ({ what: "list", path: "/v1/traces", name, query })),
    ...Object.entries(FACETS).map(([name, query]) => ({
      ...{ what: "facets", path: "/v1/traces/facets", name, query },
    })),
    ...Object.entries(TOLD).map(([name, [path, query]]) => ({ what: "list", path, name, query })),
  ];
  const results: BenchResult[] = [];
  for (const { what, path, name, query } of asked) {
    const times = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round < sizes.rounds; round++) {
      times.small.push(await timed(`${sides.atSmall}${path}?${query(sides.small)}`, sides.small.key));
      times.large.push(await timed(`${sides.atLarge}${path}?${query(sides.large)}`, sides.large.key));
    }
    const [small, large] = [median(times.small), median(times.large)];
    const group = `${what} at ${most} traces against ${least}`;
    results.push({
      name: `${group}: ${name}`,
      group,
      ratio: large / small,
      target: "≤ 2",
      ok: large / small <= 2,
      detail: `${large.toFixed(2)} ms against ${small.toFixed(2)} ms, medians of ${sizes.rounds}`,
    });
  }
  return results;
}

async function timed(url: string, key: string): Promise<number> {
  const started = Bun.nanoseconds();
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  const ms = (Bun.nanoseconds() - started) / 1e6;
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}.`);
  return ms;
}

const HEADLINES = `SELECT trace_id, headline FROM causes
  WHERE trace_id IN (SELECT value FROM json_each(?)) AND headline IS NOT NULL`;
const TESTS = `SELECT t.scenario_id, t.file, t.line, t.project, t.title_path
  FROM scenarios s JOIN test_run_tests t ON t.org_id = s.org_id AND t.scenario_id = s.id AND t.started_at =
    (SELECT max(n.started_at) FROM test_run_tests n WHERE n.org_id = s.org_id AND n.scenario_id = s.id)
  WHERE s.org_id = ? AND s.id IN (SELECT value FROM json_each(?))`;

/** The least that a server needs for a page of the list: its rows, their headlines and tests by prepared statements, as JSON. */
function bareServer(side: Side, port: number): string {
  const { sql, parameters } = traceListQuery(sqliteEngine, { orgId: side.orgId, limit: 51 });
  return `import { Database } from "bun:sqlite";
const db = new Database(${JSON.stringify(join(side.dataDir, "tracedeck.db"))}, { readonly: true });
db.exec("PRAGMA cache_size = -32768");
const page = db.prepare(${JSON.stringify(sql)});
const headlines = db.prepare(${JSON.stringify(HEADLINES)});
const tests = db.prepare(${JSON.stringify(TESTS)});
const answer = () => {
  const items = page.all(...${JSON.stringify(parameters)});
  const failed = items.filter(({ status }) => status !== "passed").map(({ id }) => id);
  const scenarios = new Set(items.map(({ scenario_id }) => scenario_id));
  return Response.json({
    items,
    headlines: headlines.all(JSON.stringify(failed)),
    tests: tests.all(${JSON.stringify(side.orgId)}, JSON.stringify([...scenarios])),
  });
};
Bun.serve({ hostname: "127.0.0.1", port: ${port}, fetch: answer });
`;
}

async function compareThroughput(
  ours: string,
  key: string,
  bare: string,
  { loadMs, loads }: typeof FULL,
): Promise<BenchResult> {
  const mine = () => requestsPerSecond(`${ours}/v1/traces`, key, loadMs);
  const theirs = () => requestsPerSecond(bare, key, loadMs);
  await mine();
  await theirs();
  const rates = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < loads; round++) {
    rates.ours.push(await mine());
    rates.bare.push(await theirs());
  }
  const [a, b] = [median(rates.ours), median(rates.bare)];
  return {
    name: "list requests per second, against a bare server with the same queries",
    ratio: a / b,
    target: "≥ 0.4",
    ok: a / b >= 0.4,
    detail: `${a.toFixed(0)}/s against ${b.toFixed(0)}/s, ${LOADERS} at once, medians of ${loads} × ${loadMs / 1000} s`,
  };
}

async function requestsPerSecond(url: string, key: string, loadMs: number): Promise<number> {
  const started = performance.now();
  let done = 0;
  const load = async () => {
    while (performance.now() - started < loadMs) {
      await timed(url, key);
      done++;
    }
  };
  await Promise.all(Array.from({ length: LOADERS }, load));
  return (done * 1000) / (performance.now() - started);
}

async function ready(base: string, path: string): Promise<string> {
  for (let attempt = 0; attempt < 2000; attempt++) {
    const answer = await fetch(base + path).catch(() => null);
    if (answer?.ok) return base;
    await Bun.sleep(5);
  }
  throw new Error(`${base} did not start.`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
