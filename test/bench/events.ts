import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEventFiles } from "../../store/events/files.ts";
import type { EventFile, EventQuery } from "../../store/events/types.ts";
import { createEventWriter } from "../../store/events/writer.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

/** Events of the two files, and queries of each kind. */
const FULL = { large: 1_000_000, small: 10_000, queries: 200 };
const SMALL = { large: 20_000, small: 2_000, queries: 10 };
const EVENTS_PER_STEP = 200;
const LIMIT = 200;

/** Numbers that look random and are the same in every run. */
function createNumbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const KINDS: [kind: string, perMille: number][] = [
  ["network.request", 260],
  ["network.response", 260],
  ["console.log", 180],
  ["dom.mutation", 180],
  ["agent.action", 60],
  ["screenshot", 25],
  ["assertion", 20],
  ["console.error", 12],
  ["agent.thought", 3],
];
/** So rare that a filter by it looks for a few lines in the whole file. */
const RARE = "clock.advance";
const RARE_EVERY = 5003;

function kindOf(i: number, pick: number): string {
  if (i % RARE_EVERY === 17) return RARE;
  let left = pick;
  for (const [kind, share] of KINDS) {
    if (left < share) return kind;
    left -= share;
  }
  return "console.log";
}

/** Writes `count` events of about 250 bytes, in steps of the same length whatever their count. */
async function build(folder: string, name: string, count: number) {
  const place = { path: join(folder, `${name}.ndjson.zst`), indexPath: join(folder, `${name}.index`) };
  const writer = await createEventWriter(place);
  const number = createNumbers(count);
  for (let seq = 0; seq < count; seq++) {
    const event = {
      seq,
      ts: 1_760_000_000_000 + seq * 4,
      kind: kindOf(seq, number(1000)),
      step_id: seq % 1009 === 5 ? "hook@teardown" : `call@${Math.floor(seq / EVENTS_PER_STEP)}`,
    };
    const rest = {
      request_id: `r${number(2 ** 31).toString(36)}`,
      url: `https://shop.example.test/api/v2/items/${number(1_000_000)}?page=${number(40)}`,
      status: number(20) === 0 ? 404 : 200,
      headers: [{ name: "content-type", value: "application/json" }],
      duration_ms: number(900),
    };
    const waiting = writer.append(JSON.stringify({ ...event, ...rest }), event);
    if (waiting) await waiting;
  }
  const info = await writer.finish();
  return { ...place, info };
}

interface Case {
  name: string;
  make(number: (below: number) => number, count: number): EventQuery;
  /** The same filter for jq, of one example query; absent where another case stands for it. */
  jq?: string;
}

const stepOf = (number: (below: number) => number, count: number) =>
  `call@${number(count / EVENTS_PER_STEP)}`;

const CASES: Case[] = [
  {
    name: "offset",
    make: (number, count) => ({ offset: number(count - LIMIT), limit: LIMIT }),
    jq: "select(.seq >= 600000 and .seq < 600200)",
  },
  {
    name: "from_seq",
    make: (number, count) => ({ fromSeq: number(count), offset: 0, limit: LIMIT }),
  },
  {
    name: "step",
    make: (number, count) => ({ step: stepOf(number, count), offset: 0, limit: LIMIT }),
    jq: 'select(.step_id == "call@3456")',
  },
  {
    name: "scattered step",
    make: () => ({ step: "hook@teardown", offset: 0, limit: LIMIT }),
  },
  {
    name: "frequent kind",
    make: (number, count) => ({ kinds: ["network.*"], offset: number(count / 2 - LIMIT), limit: LIMIT }),
    jq: 'select(.kind | startswith("network."))',
  },
  {
    name: "occasional kind",
    make: (number, count) => ({ kinds: ["console.error"], offset: number(count / 100), limit: LIMIT }),
  },
  {
    name: "rare kind",
    make: () => ({ kinds: [RARE], offset: 0, limit: LIMIT }),
    jq: `select(.kind == "${RARE}")`,
  },
  {
    name: "step and kind",
    make: (number, count) => ({
      step: stepOf(number, count),
      kinds: ["network.response"],
      offset: 0,
      limit: LIMIT,
    }),
  },
];

/**
 * Milliseconds of each of so many queries on both files, sorted. The two take turns, and a query's time is the best of
 * `rounds` in a row: what else the machine does must not pass for a slow query.
 */
async function time(
  files: { file: EventFile; count: number }[],
  each: Case,
  queries: number,
  rounds = 3,
): Promise<number[][]> {
  const numbers = files.map(() => createNumbers(7));
  const times: number[][] = files.map(() => []);
  for (let i = 0; i < queries; i++)
    for (const [which, { file, count }] of files.entries()) {
      const query = each.make(numbers[which]!, count);
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < rounds; round++) {
        const start = performance.now();
        await file.query(query);
        best = Math.min(best, performance.now() - start);
      }
      times[which]!.push(best);
    }
  return times.map((each) => each.sort((a, b) => a - b));
}

const percentile = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)]!;

function filterByTool(path: string, filter: string) {
  const tool = Bun.which("jq") ? `jq -c '${filter}'` : "grep -F call@3456 || [ $? = 1 ]";
  const start = performance.now();
  const run = Bun.spawnSync(["sh", "-c", `zstdcat '${path}' | ${tool} > /dev/null`]);
  if (run.exitCode !== 0) throw new Error(`zstdcat | ${tool} failed: ${run.stderr.toString()}`);
  return { tool: tool.split(" ")[0]!, ms: performance.now() - start };
}

interface Place {
  path: string;
  indexPath: string;
}

/** p99 of pages by offset as a server serves them, of both files. */
async function withUsualCache(small: Place, large: Place, sizes: typeof FULL): Promise<number[]> {
  const { queries } = sizes;
  const files = createEventFiles();
  const both = [
    { file: await files.open(small.path, small.indexPath), count: sizes.small },
    { file: await files.open(large.path, large.indexPath), count: sizes.large },
  ];
  const times = await time(both, CASES[0]!, queries, 1);
  files.close();
  return times.map((each) => percentile(each, 0.99));
}

const milliseconds = (ms: number) => `${ms.toFixed(2)} ms`;

/**
 * Pages out of 1,000,000 events: against `zstdcat | jq` on the same file, and against the same query on 10,000 events.
 * The cache is too small for a frame, so that every query reads and unpacks what it needs as if it were the first one.
 */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const sizes = isSmall ? SMALL : FULL;
  const { queries } = sizes;
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-events-"));
  const files = createEventFiles({ cacheBytes: 1 << 19 });
  try {
    const large = await build(folder, "large", sizes.large);
    const small = await build(folder, "small", sizes.small);
    const both = [
      { file: await files.open(small.path, small.indexPath), count: sizes.small },
      { file: await files.open(large.path, large.indexPath), count: sizes.large },
    ];
    const rows: BenchResult[] = [];
    const [most, least] = [sizes.large, sizes.small].map((count) => count.toLocaleString("en-GB"));
    for (const each of CASES) await time(both, each, queries);
    for (const each of CASES) {
      const [smallTimes, largeTimes] = await time(both, each, queries);
      const [p99, p99Small] = [percentile(largeTimes!, 0.99), percentile(smallTimes!, 0.99)];
      if (each.jq) {
        const other = filterByTool(large.path, each.jq);
        const speedup = other.ms / p99;
        rows.push({
          name: `events by ${each.name}: zstdcat | ${other.tool} / p99 of a page`,
          ratio: speedup,
          target: "≥ 100",
          group: `a page out of ${most} events: zstdcat | ${other.tool} / p99 of ours`,
          ok: speedup >= 100,
          detail: `${other.ms.toFixed(0)} ms against ${milliseconds(p99)} (median ${milliseconds(percentile(largeTimes!, 0.5))})`,
        });
      }
      const growth = p99 / p99Small;
      rows.push({
        name: `events by ${each.name}: p99 of ${most} / p99 of ${least}`,
        ratio: growth,
        target: "≤ 2",
        group: `a page of events: p99 of ${most} / p99 of ${least}`,
        ok: growth <= 2,
        detail: `${milliseconds(p99)} against ${milliseconds(p99Small)}`,
      });
    }
    const [smallKept, largeKept] = await withUsualCache(small, large, sizes);
    rows.find((row) =>
      row.name.startsWith("events by offset: p99"),
    )!.detail += `; with the usual cache, which keeps the whole small file unpacked, ${milliseconds(largeKept!)} against ${milliseconds(smallKept!)}`;
    const share = statSync(large.indexPath).size / large.info.storedSize;
    rows.push({
      name: "events: size of the index / size of the events",
      ratio: share,
      target: "≤ 0.5",
      ok: share <= 0.5,
      detail: `${(large.info.size / 1e6).toFixed(0)} MB of text in ${(large.info.storedSize / 1e6).toFixed(1)} MB`,
    });
    return rows;
  } finally {
    files.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
