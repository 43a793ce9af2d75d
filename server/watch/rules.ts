import type { ScenarioFileRow } from "../../store/records/scenarios.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../http/errors.ts";
import type { CompiledScenario } from "../run/language/ast.ts";
import { cadenceProblem, cronProblem, isTimeZone } from "../run/language/cron.ts";
import type { Schedule } from "../run/language/fires.ts";
import { regionProblem } from "../run/regions.ts";

type Rules = Pick<Deps, "config">;

/** @throws AppError `cron_invalid`, or `cron_too_frequent` for what comes more often than the plan allows */
export function requireCadence({ config }: Rules, cron: string): void {
  const wrong = readProblem(cron);
  if (wrong) throw new AppError("cron_invalid", `The field "cron": ${wrong}`);
  const cadence = cadenceProblem(cron, config.limits.leastMinutes);
  if (!cadence) return;
  const plan = `The plan is "${config.settings.plan}".`;
  if (cadence.isTooOften)
    throw new AppError("cron_too_frequent", `The field "cron": ${cadence.message}. ${plan}`);
  throw new AppError("cron_invalid", `The field "cron": ${cadence.message}.`);
}

/** What is wrong with a cron expression that is to be read, whatever its cadence; null when nothing is. */
export function readProblem(cron: string): string | null {
  if (!cron.startsWith("@") && cron.trim().split(/\s+/).length !== 5)
    return `"${cron}" has not five fields: minute, hour, day of the month, month and day of the week were expected, as in "*/5 * * * *".`;
  const wrong = cronProblem(cron);
  return wrong && `${wrong.message}.`;
}

/** @throws AppError `validation_failed` */
export function requireTimeZone(timezone: string): void {
  if (isTimeZone(timezone)) return;
  throw new AppError(
    "validation_failed",
    `The field "timezone": "${timezone}" is no IANA time zone such as Europe/Berlin.`,
  );
}

/** @throws AppError `validation_failed` naming the plan's regions */
export function requireRegions({ config }: Rules, regions: readonly string[]): void {
  for (const region of regions) {
    const problem = regionProblem(config.settings, region);
    if (problem) throw new AppError("validation_failed", `The field "regions": ${problem}`);
  }
}

/** @throws AppError as the three above */
export function requireSchedule(deps: Rules, { cron, timezone }: Schedule): void {
  requireCadence(deps, cron);
  requireTimeZone(timezone);
}

/** @throws AppError `validation_failed` where a scenario has no steps, or no address to begin at */
export function requireTarget({ slug, compiled }: Pick<ScenarioFileRow, "slug" | "compiled">): string {
  if (compiled === null)
    throw new AppError(
      "validation_failed",
      `The scenario "${slug}" is known from traces only: load its file with \`tracedeck scenarios sync\`.`,
    );
  const { base_url } = JSON.parse(compiled) as CompiledScenario;
  if (base_url !== null) return base_url;
  throw new AppError(
    "validation_failed",
    `The scenario "${slug}" has no base_url, which a schedule needs: it is the address that is watched.`,
  );
}
