import { type Command, InvalidArgumentError } from "commander";
import type { CheckAnswer } from "../watch/checks/model.ts";
import { callJson } from "./call.ts";
import { preflightCommand } from "./checks-preflight.ts";
import { type CommonOptions, example, isoTime, uuid, withRecords } from "./options.ts";
import { note, say, sayJson, table, UsageError } from "./output.ts";
import { withSession } from "./session.ts";

const CHECKS = "/v1/scheduled_checks";

interface Fields {
  cron?: string;
  timezone?: string;
  region?: string[];
  shadowProd?: boolean;
  policy?: Record<string, unknown>;
}

/** `checks list|show|preflight|create|update|pause|resume|enable|disable|rm`. */
export function checksCommands(program: Command): void {
  const checks = program.command("checks").description("scenarios that run by the clock");
  example(checks, "tracedeck checks list");
  listCommand(checks);
  showCommand(checks);
  preflightCommand(checks);
  createCommand(checks);
  updateCommand(checks);
  pauseCommand(checks);
  resumeCommand(checks);
  switchCommand(checks, "enable", true);
  switchCommand(checks, "disable", false);
  removeCommand(checks);
}

function listCommand(checks: Command) {
  const command = checks
    .command("list")
    .description("checks with their schedule and next run")
    .option("--scenario <slug>", "only those of a scenario, by its slug or id");
  example(withRecords(command), "tracedeck checks list --scenario checkout");
  command.action(async (options: CommonOptions & { scenario?: string }) => {
    await withSession(options, async ({ client }) => {
      const items: CheckAnswer[] = [];
      let cursor: string | null = null;
      do {
        const query = new URLSearchParams({ limit: "200" });
        if (options.scenario) query.set("scenario", options.scenario);
        if (cursor) query.set("cursor", cursor);
        const page: { items: CheckAnswer[]; next_cursor: string | null } = await callJson(
          client,
          `${CHECKS}?${query}`,
        );
        items.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor);
      if (options.json) return sayJson({ items, next_cursor: null });
      table(
        ["id", "scenario", "schedule", "regions", "state", "next run"],
        items.map((check) => [
          check.id,
          check.scenario_slug,
          scheduleOf(check),
          check.regions.join(" "),
          stateOf(check),
          check.next_run_at ?? "",
        ]),
      );
    });
  });
}

function showCommand(checks: Command) {
  const command = checks.command("show").argument("<id>", "id of a check", uuid).description("one check");
  example(withRecords(command), `tracedeck checks show ${ID}`);
  command.action(async (id: string, options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      tell(await callJson<CheckAnswer>(client, `${CHECKS}/${id}`), options);
    });
  });
}

function createCommand(checks: Command) {
  const command = withFields(
    checks
      .command("create")
      .argument("<scenario>", "slug or id of a scenario whose preflight is recorded")
      .description("run a scenario by the clock"),
  ).option("--disabled", "make it, and leave it off");
  example(
    withRecords(command),
    'tracedeck checks create checkout --cron "*/5 * * * *" --region us-east-1 --region eu-west-1',
  );
  command.action(async (scenario: string, options: CommonOptions & Fields & { disabled?: boolean }) => {
    const body = {
      scenario_id: scenario,
      ...bodyOf(options),
      ...(options.disabled && { enabled: false }),
    };
    await withSession(options, async ({ client }) => {
      tell(await callJson<CheckAnswer>(client, CHECKS, sent("POST", body)), options);
    });
  });
}

function updateCommand(checks: Command) {
  const command = withFields(
    checks
      .command("update")
      .argument("<id>", "id of a check", uuid)
      .description("change what is named; --policy replaces all of the alert policy"),
  ).option("--no-shadow-prod", "do not look for drift from the clones");
  example(withRecords(command), `tracedeck checks update ${ID} --cron "*/10 * * * *"`);
  command.action(async (id: string, options: CommonOptions & Fields) => {
    const body = bodyOf(options);
    if (Object.keys(body).length === 0) throw new UsageError("Nothing to change: name at least one option.");
    await change(options, "PUT", id, "", body);
  });
}

function pauseCommand(checks: Command) {
  const command = checks
    .command("pause")
    .argument("<id>", "id of a check", uuid)
    .description("let its fires pass for some time; it goes on by itself")
    .option("--hours <hours>", "from now on, at most 720", hours)
    .option("--until <time>", "ISO 8601, instead of --hours", isoTime);
  example(withRecords(command), `tracedeck checks pause ${ID} --hours 2`);
  command.action(async (id: string, options: CommonOptions & { hours?: number; until?: string }) => {
    if ((options.hours === undefined) === (options.until === undefined))
      throw new UsageError("Say how long: --hours or --until.");
    const body = options.hours === undefined ? { until: options.until } : { hours: options.hours };
    await change(options, "POST", id, "/pause", body);
  });
}

function resumeCommand(checks: Command) {
  const command = checks
    .command("resume")
    .argument("<id>", "id of a check", uuid)
    .description("end a pause; what was found before does not count any more");
  example(withRecords(command), `tracedeck checks resume ${ID}`);
  command.action((id: string, options: CommonOptions) => change(options, "POST", id, "/pause", { hours: 0 }));
}

function switchCommand(checks: Command, name: "enable" | "disable", enabled: boolean) {
  const command = checks
    .command(name)
    .argument("<id>", "id of a check", uuid)
    .description(
      enabled ? "run its fires; its scenario needs a recorded preflight" : "run none of its fires",
    );
  example(withRecords(command), `tracedeck checks ${name} ${ID}`);
  command.action((id: string, options: CommonOptions) => change(options, "PUT", id, "", { enabled }));
}

function removeCommand(checks: Command) {
  const command = checks
    .command("rm")
    .argument("<id>", "id of a check", uuid)
    .description("remove a check; its runs stay");
  example(withRecords(command), `tracedeck checks rm ${ID}`);
  command.action(async (id: string, options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      await callJson(client, `${CHECKS}/${id}`, { method: "DELETE" });
      if (options.json) sayJson({ id, removed: true });
      else say(`${id} removed`);
    });
  });
}

const ID = "01997c3e-5a10-7c4e-9f0a-1d2b3c4d5e6f";

function withFields(command: Command): Command {
  return command
    .option("--cron <expression>", 'five fields or @hourly; "*/5 * * * *" when a new check names none')
    .option("--timezone <zone>", "IANA time zone, such as Europe/Berlin")
    .option("--region <region>", "where it runs; may stand several times", addRegion)
    .option("--shadow-prod", "look for drift from the clones")
    .option("--policy <json>", "the alert policy", policy);
}

function bodyOf({ cron, timezone, shadowProd, policy, region }: Fields): object {
  return {
    ...(cron !== undefined && { cron }),
    ...(timezone !== undefined && { timezone }),
    ...(region && { regions: region }),
    ...(shadowProd !== undefined && { shadow_prod: shadowProd }),
    ...(policy && { alert_policy: policy }),
  };
}

async function change(options: CommonOptions, method: string, id: string, path: string, body: object) {
  await withSession(options, async ({ client }) => {
    tell(await callJson<CheckAnswer>(client, `${CHECKS}/${id}${path}`, sent(method, body)), options);
  });
}

const sent = (method: string, body: object): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

function tell(check: CheckAnswer, options: CommonOptions): void {
  if (options.json) {
    sayJson(check);
    return;
  }
  say(`${check.id}  ${check.scenario_slug}  ${scheduleOf(check)}  ${check.regions.join(" ")}`);
  say(`${stateOf(check)}${check.next_run_at ? `, next run ${check.next_run_at}` : ""}`);
  if (!check.enabled) note("It runs once it is switched on: tracedeck checks enable.");
}

const scheduleOf = ({ cron, timezone }: CheckAnswer): string =>
  timezone === "UTC" ? cron : `${cron} (${timezone})`;

function stateOf({ enabled, paused_until }: CheckAnswer): string {
  if (!enabled) return "off";
  return paused_until === null ? "on" : `paused until ${paused_until}`;
}

function hours(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= 720) return value;
  throw new InvalidArgumentError("It must be a number of hours, more than 0 and at most 720.");
}

const addRegion = (text: string, regions: string[] = []): string[] => [...regions, text];

function policy(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError('It must be a JSON object, such as {"consecutive_failures":3}.');
}
