import type { Command } from "commander";
import type { ApiClient } from "../platform/api-client.ts";
import { fromIso, systemClock } from "../platform/clock.ts";
import { readSearch, searchParameters } from "../trace/format/search-tokens.ts";
import { counted } from "../trace/format/words.ts";
import { callJson } from "./call.ts";
import { diffCommand } from "./diff.ts";
import { eventLine } from "./event-line.ts";
import { exportCommand } from "./export.ts";
import {
  type CommonOptions,
  example,
  isoTime,
  oneOf,
  searchText,
  wholeNumber,
  withRecords,
} from "./options.ts";
import { CliError, duration, note, printable, say, sayJson, table, tone } from "./output.ts";
import { type Session, withSession } from "./session.ts";

interface TraceItem {
  id: string;
  short_id: string;
  scenario_title: string;
  status: string;
  tier: string;
  pinned: boolean;
  duration_ms: number;
  error_count: number;
  created_at: string;
  failure_message: string | null;
  headline: string | null;
}

const STATUSES = ["queued", "running", "passed", "failed", "error", "aborted"];
const SOURCES = ["pr", "schedule", "manual", "shadow_diff"];
const TIERS = ["hot", "warm", "cold"];

/** `traces list|show|events|diff|export|pin|unpin|rm`: the trace API from a shell. */
export function tracesCommands(program: Command): void {
  const traces = program.command("traces").description("list, read, compare, export, pin and remove traces");
  example(traces, "tracedeck traces list --status failed");
  listCommand(traces);
  showCommand(traces);
  eventsCommand(traces);
  diffCommand(traces);
  exportCommand(traces);
  pinCommands(traces);
  removeCommand(traces);
}

function listCommand(traces: Command) {
  const command = traces
    .command("list")
    .description("traces, newest first")
    .option("--status <status>", STATUSES.join(", "), oneOf(...STATUSES))
    .option("--source <source>", SOURCES.join(", "), oneOf(...SOURCES))
    .option("--scenario <slug>", "of this scenario")
    .option("--signature <signature>", "with this failure signature")
    .option("--tier <tier>", TIERS.join(", "), oneOf(...TIERS))
    .option("--pinned", "pinned ones only")
    .option(
      "--q <search>",
      'words, "a phrase", prefix*, and tokens as in the viewer: status:failed step:pay after:7d dur:>5s',
      searchText,
    )
    .option("--from <time>", "created at this time (ISO 8601) or later", isoTime)
    .option("--to <time>", "created before this time", isoTime)
    .option("--limit <n>", "how many, up to 200", wholeNumber(1, 200), 50)
    .option("--cursor <cursor>", "go on where an earlier list ended");
  example(withRecords(command), "tracedeck traces list --q 'status:failed after:7d checkout timeout'");
  command.action(async (options: CommonOptions & Record<string, string | number | boolean | undefined>) => {
    await withSession(options, async ({ client }) => {
      const { data: _, json, q, ...filters } = options;
      const now = systemClock.now();
      const query = new URLSearchParams(searchParameters(readSearch(String(q ?? ""), now), now));
      for (const [name, value] of Object.entries(filters)) {
        if (value !== undefined) query.set(name, String(value));
      }
      const page = await listPage(client, query, Number(options.limit));
      if (json) return sayJson(page);
      if (page.items.length === 0) return note("No traces.");
      printTraces(page.items);
      if (page.next_cursor) note(`More: add --cursor ${page.next_cursor}`);
    });
  });
}

/** A page; where the server looked at all that it looks at for one and found few, it is asked to look on. */
async function listPage(client: ApiClient, query: URLSearchParams, limit: number) {
  const items: TraceItem[] = [];
  for (;;) {
    query.set("limit", String(limit - items.length));
    const page = await callJson<{ items: TraceItem[]; next_cursor: string | null }>(
      client,
      `/v1/traces?${query}`,
    );
    items.push(...page.items);
    if (page.next_cursor === null || items.length >= limit) return { ...page, items };
    query.set("cursor", page.next_cursor);
  }
}

function printTraces(items: TraceItem[]) {
  const now = systemClock.now();
  table(
    ["id", "status", "age", "took", "errors", "tier", "pin", "scenario"],
    items.map((item) => [
      item.short_id,
      item.status,
      age(now - (fromIso(item.created_at) ?? now)),
      duration(item.duration_ms),
      String(item.error_count),
      item.tier,
      item.pinned ? "pinned" : "",
      [item.scenario_title, item.headline ?? item.failure_message].filter(Boolean).join(": "),
    ]),
    (cell, column) => (column === 1 ? tone(cell, statusTone(cell)) : cell),
  );
}

function statusTone(status: string) {
  if (status === "passed") return "good" as const;
  return status === "failed" || status === "error" ? ("bad" as const) : ("weak" as const);
}

function age(ms: number): string {
  const units: [string, number][] = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
  ];
  const unit = units.find(([, size]) => ms >= size);
  return unit ? `${Math.floor(ms / unit[1])}${unit[0]}` : "now";
}

function showCommand(traces: Command) {
  const command = traces
    .command("show")
    .argument("<id>", "trace id, short id or link")
    .description("one trace");
  example(withRecords(command), "tracedeck traces show 7Kd2mQx9PbTz");
  command.action(async (id: string, options: CommonOptions) => {
    await withSession(options, async (session) => {
      const detail = await callJson<Record<string, unknown>>(
        session.client,
        `/v1/traces/${await session.traceId(id)}`,
      );
      if (options.json) return sayJson(detail);
      for (const [name, value] of Object.entries(detail)) {
        // Links carry their own permission; whoever wants them asks for JSON.
        if (name === "signed_urls" || name === "playwright_viewer_url" || value === null) continue;
        const text = typeof value === "object" ? JSON.stringify(value) : String(value);
        if (text !== "[]" && text !== "{}") say(`${tone(name.padEnd(18), "weak")} ${printable(text)}`);
      }
    });
  });
}

function eventsCommand(traces: Command) {
  const command = traces
    .command("events")
    .argument("<id>", "trace id, short id or link")
    .description("events of a trace, in order")
    .option("--kind <kinds>", "kinds, comma-separated; network.* for all that begin so")
    .option("--step <id>", "of this step")
    .option("--q <text>", "containing this text")
    .option("--from-seq <n>", "from this sequence number on", wholeNumber(0))
    .option("--offset <n>", "leave out the first n", wholeNumber(0))
    .option("--limit <n>", "how many, up to 1000", wholeNumber(1, 1000), 200);
  example(withRecords(command), "tracedeck traces events 7Kd2mQx9PbTz --kind 'console.error,network.*'");
  command.action(
    async (
      id: string,
      options: CommonOptions & {
        kind?: string;
        step?: string;
        q?: string;
        fromSeq?: number;
        offset?: number;
        limit: number;
      },
    ) => {
      await withSession(options, async (session) => {
        const query = new URLSearchParams();
        for (const name of ["kind", "step", "q"] as const) {
          if (options[name] !== undefined) query.set(name, String(options[name]));
        }
        if (options.fromSeq !== undefined) query.set("from_seq", String(options.fromSeq));
        const path = `/v1/traces/${await session.traceId(id)}/events`;
        const page = await readPages(session, path, query, {
          offset: options.offset ?? 0,
          limit: options.limit,
        });
        if (options.json) return sayJson(page);
        for (const event of page.events) say(eventLine(event));
        if (page.total > page.events.length)
          note(`${page.events.length} of ${counted(page.total, "event")}.`);
      });
    },
  );
}

interface EventPage {
  events: Record<string, unknown>[];
  total: number;
  next_offset: number | null;
}

/** The events from one place to another; a page of the server ends earlier where its lines are long. */
async function readPages(
  session: Session,
  path: string,
  query: URLSearchParams,
  { offset, limit }: { offset: number; limit: number },
): Promise<EventPage> {
  const events: EventPage["events"] = [];
  for (let next = offset; ; ) {
    query.set("offset", String(next));
    query.set("limit", String(offset + limit - next));
    const page = await callJson<EventPage>(session.client, `${path}?${query}`);
    events.push(...page.events);
    if (page.next_offset === null || page.next_offset >= offset + limit)
      return { events, total: page.total, next_offset: page.next_offset };
    next = page.next_offset;
  }
}

function pinCommands(traces: Command) {
  for (const verb of ["pin", "unpin"] as const) {
    const command = traces
      .command(verb)
      .argument("<ids...>", "trace ids, short ids or links")
      .description(verb === "pin" ? "keep traces past their retention" : "let retention apply again");
    example(withRecords(command), `tracedeck traces ${verb} 7Kd2mQx9PbTz`);
    command.action(async (ids: string[], options: CommonOptions) => {
      await withSession(options, async (session) => {
        const answers: unknown[] = [];
        for (const id of ids) {
          const path = `/v1/traces/${await session.traceId(id)}/${verb}`;
          answers.push(await callJson(session.client, path, { method: "POST" }));
          if (!options.json) say(`${printable(id)} ${verb}ned`);
        }
        if (options.json) sayJson(answers.length === 1 ? answers[0] : answers);
      });
    });
  }
}

/** The API's way to remove a pinned trace is an option here. */
function asOption(error: unknown): never {
  if (error instanceof CliError && error.code === "conflict" && error.message.includes("?force=1"))
    throw new CliError(error.message.replace("?force=1", "--force"), error.code, error.help);
  throw error;
}

function removeCommand(traces: Command) {
  const command = traces
    .command("rm")
    .argument("<ids...>", "trace ids, short ids or links")
    .description("remove traces for good")
    .option("--force", "pinned ones too");
  example(withRecords(command), "tracedeck traces rm 7Kd2mQx9PbTz");
  command.action(async (ids: string[], options: CommonOptions & { force?: boolean }) => {
    await withSession(options, async (session) => {
      const removed: { trace_id: string; removed: true }[] = [];
      for (const id of ids) {
        const traceId = await session.traceId(id);
        const path = `/v1/traces/${traceId}${options.force ? "?force=1" : ""}`;
        await callJson(session.client, path, { method: "DELETE" }).catch(asOption);
        removed.push({ trace_id: traceId, removed: true });
        if (!options.json) say(`${printable(id)} removed`);
      }
      if (options.json) sayJson(removed.length === 1 ? removed[0] : removed);
    });
  });
}
