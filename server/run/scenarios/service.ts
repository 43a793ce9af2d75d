import { lastRunOf } from "../../../store/records/runs.ts";
import { findScenarioFile, pageOfScenarios, type ScenarioFileRow } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { starterScenario } from "../language/starter.ts";
import { answerRun } from "../runs/answer.ts";
import {
  type ScenarioAnswer,
  type ScenarioListQuery,
  type StarterAnswer,
  type StarterQuery,
  toScenario,
} from "./model.ts";

const DEFAULT_LIMIT = 50;

/** One page of the org's scenarios, by slug. @throws AppError for a cursor of another list */
export async function showScenarios(deps: Deps, { orgId }: Pick<Actor, "orgId">, query: ScenarioListQuery) {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const rows = await pageOfScenarios(deps.store.records, {
    orgId,
    limit: limit + 1,
    ...(query.q && { q: query.q }),
    ...(query.has_run !== undefined && { hasRun: query.has_run === "true" || query.has_run === "1" }),
    ...(query.cursor !== undefined && { after: readCursor(query.cursor) }),
  });
  const page = rows.slice(0, limit);
  const items: ScenarioAnswer[] = [];
  for (const row of page) items.push(await answer(deps, row));
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items, next_cursor: last ? Buffer.from(last.slug).toString("base64url") : null };
}

/** @param id or slug. @throws AppError `not_found` */
export async function showScenario(
  deps: Deps,
  { orgId }: Pick<Actor, "orgId">,
  id: string,
): Promise<ScenarioAnswer> {
  return answer(deps, await requireScenario(deps, { orgId }, id));
}

/** A first scenario of a page. @throws AppError `validation_failed` saying what was expected */
export function showStarter({ url, text }: StarterQuery): StarterAnswer {
  const { file, problem } = starterScenario(url, text);
  if (!file) throw new AppError("validation_failed", problem);
  return { path: file.name, text: file.text };
}

export async function requireScenario(
  deps: Deps,
  { orgId }: Pick<Actor, "orgId">,
  id: string,
): Promise<ScenarioFileRow> {
  const row = await findScenarioFile(deps.store.records, orgId, id);
  if (!row) throw notFound("The scenario");
  return row;
}

async function answer(deps: Deps, row: ScenarioFileRow): Promise<ScenarioAnswer> {
  const run = await lastRunOf(deps.store.records, row.org_id, row.id);
  return toScenario(row, run && (await answerRun(deps, run)));
}

function readCursor(text: string): string {
  const slug = Buffer.from(text, "base64url").toString();
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(slug))
    throw invalid('The query parameter "cursor" is not one that this list gave out.');
  return slug;
}
