import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { AuditPage, AuditVerification } from "../identity/audit-events/model.ts";
import { callJson, callWith } from "./call.ts";
import { type CommonOptions, example, isoTime, oneOf, wholeNumber, withRecords } from "./options.ts";
import { fileToWrite } from "./out-file.ts";
import { say, sayJson, table, tone } from "./output.ts";
import { withSession } from "./session.ts";

interface Filters {
  actor?: string;
  action?: string;
  target?: string;
  from?: string;
  to?: string;
}

/** `audit list|verify|export`. */
export function auditCommands(program: Command): void {
  const audit = program
    .command("audit")
    .description("who did what in the org, and whether that log is whole");
  example(audit, "tracedeck audit verify");
  listCommand(audit);
  verifyCommand(audit);
  exportCommand(audit);
}

function withFilters(command: Command): Command {
  return command
    .option("--actor <id>", "who did it")
    .option("--action <action>", "like trace.delete, or trace.* for all of a noun")
    .option("--target <id>", "what it was done to")
    .option("--from <time>", "from this time on (ISO 8601)", isoTime)
    .option("--to <time>", "before this time (ISO 8601)", isoTime);
}

function queryOf({ actor, action, target, from, to }: Filters, more: Record<string, string>): string {
  const given = Object.entries({ actor, action, target, from, to, ...more });
  return new URLSearchParams(
    given.filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
}

function listCommand(audit: Command) {
  const command = withFilters(audit.command("list").description("what was done, newest first")).option(
    "--limit <count>",
    "how many entries",
    wholeNumber(1, 200),
    50,
  );
  example(withRecords(command), "tracedeck audit list --action api_key.*");
  command.action(async (options: CommonOptions & Filters & { limit: number }) => {
    await withSession(options, async ({ client }) => {
      const query = queryOf(options, { limit: String(options.limit) });
      const page = await callJson<AuditPage>(client, `/v1/audit-events?${query}`);
      if (options.json) return sayJson(page);
      table(
        ["seq", "at", "actor", "action", "target", "detail"],
        page.items.map(({ seq, at, actor, action, target, detail }) => [
          String(seq),
          at,
          `${actor.type} ${actor.id}`,
          action,
          target,
          JSON.stringify(detail),
        ]),
      );
    });
  });
}

function verifyCommand(audit: Command) {
  const command = audit
    .command("verify")
    .description(
      "check every org's chain and its signed checkpoints; 1 when one was altered, cut or written anew",
    );
  example(withRecords(command), "tracedeck audit verify");
  command.action(async (options: CommonOptions) => {
    await withSession(options, async ({ auditTrail }) => {
      const states = await auditTrail.verifyAll();
      const fileProblems = states[0]?.fileProblems ?? [];
      const problems = [...states.flatMap((state) => state.problems), ...fileProblems];
      const ok = problems.length === 0;
      if (!ok) process.exitCode = 1;
      if (options.json) {
        const orgs = states.map(({ problems: _, fileProblems: __, verifiedAt: ___, ...state }) => state);
        return sayJson({ ok, orgs, problems });
      }
      for (const { org_id, ...state } of states) say(`${org_id}  ${inWords(state)}`);
      for (const { kind, org_id, message } of problems)
        say(`${tone(kind.toUpperCase(), "bad")}  ${org_id ? `${org_id}: ` : ""}${message}`);
      if (ok) say(tone("The audit log is whole.", "good"));
    });
  });
}

type Told = Pick<
  AuditVerification,
  "entries" | "checkpoints" | "last_checkpoint_at" | "after_checkpoint" | "replacements"
>;

function inWords({ entries, checkpoints, last_checkpoint_at, after_checkpoint, replacements }: Told): string {
  return [
    `${entries} entries, ${checkpoints} checkpoints`,
    last_checkpoint_at ? `the last at ${last_checkpoint_at}` : "none yet",
    `${after_checkpoint} entries since`,
    ...replacements.map(({ event, at, lost }) => `${event} at ${at} took ${lost} entries away`),
  ].join(", ");
}

function exportCommand(audit: Command) {
  const command = withFilters(
    audit
      .command("export")
      .description("all entries in the order of the chain, to standard output or a file"),
  )
    .option("--format <format>", "ndjson or csv", oneOf("ndjson", "csv"), "ndjson")
    .option("--out <file>", "where to");
  example(withRecords(command), "tracedeck audit export --format csv --out audit.csv");
  command.action(async (options: CommonOptions & Filters & { format: string; out?: string }) => {
    await withSession(options, async ({ client }) => {
      const query = queryOf(options, { format: options.format });
      const response = await callWith(() => client.request(`/v1/audit-events/export?${query}`));
      const body = Readable.fromWeb(response.body as never);
      if (options.out === undefined) return pipeline(body, process.stdout, { end: false });
      const path = fileToWrite(options.out);
      await pipeline(body, createWriteStream(`${path}.partial`, { mode: 0o600 }));
      await rename(`${path}.partial`, path);
      if (options.json) sayJson({ file: path });
      else say(path);
    });
  });
}
