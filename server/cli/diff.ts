import type { Command } from "commander";
import { counted } from "../trace/format/words.ts";
import { callJson } from "./call.ts";
import { type CommonOptions, example, oneOf, withRecords } from "./options.ts";
import { CliError, note, printable, say, sayJson, tone } from "./output.ts";
import { type Session, withSession } from "./session.ts";

interface Counts {
  added: number;
  removed: number;
  changed: number;
  same: number;
}

interface Item {
  key: string;
  change: keyof Counts;
  a?: Record<string, unknown>;
  b?: Record<string, unknown>;
  detail?: {
    differences?: { path: string; a?: unknown; b?: unknown }[];
    now?: string;
    times?: { a: number; b: number };
    summary?: Counts;
  };
}

interface Diff {
  a: string;
  b: string;
  dimension: string;
  first_divergence: (Item & { dimension: string }) | null;
  summary: Counts;
  items: Item[];
}

const DIMENSIONS = ["overview", "steps", "network", "dom", "clone", "console"];
const MAX_VALUE = 120;

/** `traces diff A B`, or of one trace against the last one of its scenario that passed before it. */
export function diffCommand(traces: Command) {
  const command = traces
    .command("diff")
    .argument("<a>", "trace id, short id or link: what went well, or what was replayed")
    .argument("[b]", "what is compared with it; left out, <a> is compared with the last pass before it")
    .description("what differs between two traces, first of all where it begins")
    .option("--dimension <dimension>", DIMENSIONS.join(", "), oneOf(...DIMENSIONS), "overview");
  example(
    withRecords(command),
    "tracedeck traces diff 7Kd2mQx9PbTz",
    "tracedeck traces diff mN9UtxezkE5s 7Kd2mQx9PbTz --dimension network",
  );
  command.action(
    async (first: string, second: string | undefined, options: CommonOptions & { dimension: string }) => {
      await withSession(options, async (session) => {
        const b = await session.traceId(second ?? first);
        const a = second === undefined ? await lastPassBefore(session, b) : await session.traceId(first);
        const query = new URLSearchParams({ a, b, dimension: options.dimension });
        const diff = await callJson<Diff>(session.client, `/v1/traces/diff?${query}`);
        if (options.json) return sayJson(diff);
        printDiff(diff);
      });
    },
  );
}

/** @throws CliError when there is none */
async function lastPassBefore(session: Session, id: string): Promise<string> {
  const { baseline } = await callJson<{
    baseline: { id: string; short_id: string; created_at: string } | null;
  }>(session.client, `/v1/traces/${id}/baseline`);
  if (!baseline)
    throw new CliError("No trace of the same scenario passed before this one: name both traces to compare.");
  note(`Compared with ${baseline.short_id}, which passed at ${baseline.created_at}.`);
  return baseline.id;
}

function printDiff({ dimension, first_divergence: first, summary, items }: Diff) {
  if (first) {
    say(tone("First divergence", "strong"));
    printItem(first, `${first.dimension} `);
  } else say(dimension === "overview" ? "Nothing differs." : `Nothing differs in ${dimension}.`);
  say();
  if (dimension === "overview")
    for (const { key, detail } of items)
      say(`${key.padEnd(9)}${detail?.summary ? countsOf(detail.summary) : ""}`);
  else for (const item of items) if (item.change !== "same") printItem(item);
  if (dimension !== "overview" && items.length > 0) say();
  say(`${"in all".padEnd(9)}${countsOf(summary)}`);
  const told = items.filter(({ change }) => change !== "same").length;
  const all = summary.added + summary.removed + summary.changed;
  if (dimension !== "overview" && told < all) note(`${told} of ${counted(all, "difference")}.`);
}

const countsOf = ({ added, removed, changed, same }: Counts) =>
  `${added} added, ${removed} removed, ${changed} changed, ${same} same`;

const SIGNS = { added: "+", removed: "-", changed: "~", same: "=" } as const;

function printItem({ key, change, a, b, detail }: Item, prefix = "") {
  const side = b ?? a;
  const where = typeof side?.step_id === "string" ? ` ${tone(`(${printable(side.step_id)})`, "weak")}` : "";
  const times = detail?.times ? ` ${detail.times.a} → ${detail.times.b} times` : "";
  const now = detail?.now ? ` now ${detail.now}` : "";
  say(`${SIGNS[change]} ${tone(prefix, "weak")}${printable(key)}${now}${times}${where}`);
  for (const { path, a: before, b: after } of detail?.differences ?? [])
    say(`    ${path.slice(1)}: ${value(before)} → ${value(after)}`);
}

function value(of: unknown): string {
  if (of === undefined) return "nothing";
  const text = printable(typeof of === "string" ? of : JSON.stringify(of));
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}
