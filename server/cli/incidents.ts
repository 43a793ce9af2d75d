import { type Command, InvalidArgumentError, Option } from "commander";
import { INCIDENT_STATUSES } from "../watch/alerts/state.ts";
import type { Explanation, IncidentAnswer, IncidentItem } from "../watch/incidents/model.ts";
import { callJson } from "./call.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { note, printable, say, sayJson, type Tone, table, tone } from "./output.ts";
import { withSession } from "./session.ts";

/** `incidents list|show|ack|suppress|explain`. */
export function incidentsCommands(program: Command): void {
  const incidents = program
    .command("incidents")
    .description("what checks found broken, and what was told of it");
  example(incidents, "tracedeck incidents list");
  listCommand(incidents);
  showCommand(incidents);
  acknowledgeCommand(incidents);
  suppressCommand(incidents);
  explainCommand(incidents);
}

const TONES: Record<IncidentItem["status"], Tone> = {
  open: "bad",
  acknowledged: "strong",
  suppressed: "weak",
  resolved: "good",
};

function listCommand(incidents: Command) {
  const command = incidents
    .command("list")
    .description("incidents, newest first")
    .addOption(new Option("--status <status>", "only those that are so").choices(INCIDENT_STATUSES))
    .option("--scenario <slug>", "only those of a scenario")
    .option("--limit <n>", "how many", readLimit, 50);
  example(withRecords(command), "tracedeck incidents list --status open");
  command.action(async (options: CommonOptions & { status?: string; scenario?: string; limit: number }) => {
    await withSession(options, async ({ client }) => {
      const { status, scenario, limit } = options;
      const query = new URLSearchParams({
        limit: String(limit),
        ...(status && { status }),
        ...(scenario && { scenario }),
      });
      const list = await callJson<{ items: IncidentItem[] }>(client, `/v1/incidents?${query}`);
      if (options.json) return sayJson(list);
      table(
        ["id", "status", "type", "scenario", "region", "opened", "ended"],
        list.items.map((one) => [
          ...[one.id, tone(one.status, TONES[one.status]), one.type, one.scenario_slug, one.region],
          ...[one.opened_at, one.resolved_at ?? ""],
        ]),
      );
    });
  });
}

function showCommand(incidents: Command) {
  const command = withId(incidents.command("show").description("one incident with its timeline"));
  example(withRecords(command), "tracedeck incidents show 01989f5e-…");
  command.action(async (id: string, options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      const incident = await callJson<IncidentAnswer>(client, `/v1/incidents/${id}`);
      if (options.json) return sayJson(incident);
      sayIncident(incident);
    });
  });
}

function acknowledgeCommand(incidents: Command) {
  const command = withId(incidents.command("ack").description("say that somebody looks at an incident"));
  example(withRecords(command), "tracedeck incidents ack 01989f5e-…");
  command.action(async (id: string, options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      const incident = await callJson<IncidentAnswer>(client, `/v1/incidents/${id}/ack`, { method: "POST" });
      if (options.json) return sayJson(incident);
      say(`acknowledged: ${incident.scenario_slug} in ${incident.region}`);
    });
  });
}

function suppressCommand(incidents: Command) {
  const command = withId(incidents.command("suppress").description("keep an incident silent for a while"))
    .requiredOption("--for <duration>", "such as 30m, 2h or 3d; 30d at most", readDuration)
    .requiredOption("--reason <text>", "why; it is shown to everybody");
  example(
    withRecords(command),
    'tracedeck incidents suppress 01989f5e-… --for 2h --reason "known, being fixed"',
  );
  command.action(async (id: string, options: CommonOptions & { for: number; reason: string }) => {
    await withSession(options, async ({ client }) => {
      const incident = await callJson<IncidentAnswer>(client, `/v1/incidents/${id}/suppress`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ duration_seconds: options.for, reason: options.reason }),
      });
      if (options.json) return sayJson(incident);
      say(`suppressed until ${incident.suppressed_until}: ${incident.scenario_slug} in ${incident.region}`);
      note("When it still fails then, it opens again and is told once.");
    });
  });
}

function explainCommand(incidents: Command) {
  const command = withId(
    incidents
      .command("explain")
      .description("why an incident opened, and why each notice of it was told or not"),
  );
  example(withRecords(command), "tracedeck incidents explain 01989f5e-…");
  command.action(async (id: string, options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      const why = await callJson<Explanation>(client, `/v1/incidents/${id}/explain`);
      if (options.json) return sayJson(why);
      for (const sentence of why.summary) say(printable(sentence));
      for (const { rule, results } of why.fired) {
        say();
        say(tone(rule, "strong"));
        table(
          ["at", "result", "took", "run"],
          results.map(({ at, status, duration_ms, run_id }) => [at, status, `${duration_ms} ms`, run_id]),
        );
      }
    });
  });
}

function sayIncident(incident: IncidentAnswer): void {
  const { status, type, severity, scenario_title, region, trace_id, last_run_id } = incident;
  say(`${tone(status, TONES[status])}  ${printable(scenario_title)} in ${region}: ${type}, ${severity}`);
  say(`last run ${last_run_id}${trace_id ? `, failing trace ${trace_id}` : ""}`);
  for (const child of incident.children) say(`part of it: ${child.region} ${child.status}  ${child.id}`);
  say();
  table(
    ["at", "what", "who", ""],
    incident.timeline.map(({ at, kind, actor, text }) => [at, kind, actor ?? "", printable(text)]),
  );
}

const withId = (command: Command): Command => command.argument("<id>", "id of the incident", readId);

function readId(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new InvalidArgumentError(
      "It must be the id of an incident, as `tracedeck incidents list` shows it.",
    );
  return text;
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 200)
    throw new InvalidArgumentError("It must be a whole number from 1 to 200.");
  return limit;
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Seconds. */
function readDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = Number(amount) * SECONDS[unit as keyof typeof SECONDS];
  if (!(seconds > 0 && seconds <= 30 * SECONDS.d))
    throw new InvalidArgumentError("It must be a duration such as 30m, 2h or 3d, 30d at most.");
  return seconds;
}
