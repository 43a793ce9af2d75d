import { recordAudit } from "../../store/records/audit.ts";
import { PREFLIGHT } from "../../store/records/checks.ts";
import type { RunRow } from "../../store/records/runs.ts";
import type { TestApp } from "./app.ts";

/** A scenario file that goes to one page. */
export const scenarioText = (slug: string, frontmatter = "", baseUrl = "http://127.0.0.1:9"): string =>
  `---\nslug: ${slug}\ntitle: ${slug}\nbase_url: ${baseUrl}\n${frontmatter}---\n1. go to "/"\n`;

/** Takes in scenarios; their ids. */
export async function syncScenarios(
  t: TestApp,
  files: Record<string, string>,
): Promise<Record<string, string>> {
  const body = {
    files: Object.entries(files).map(([slug, text]) => ({ path: `${slug}.scenario.md`, text })),
  };
  const answer = await send(t, "POST", "/v1/scenarios/sync", body);
  if (!answer.ok) throw new Error(await answer.text());
  const { items } = (await (await t.api("/v1/scenarios?limit=200")).json()) as {
    items: { slug: string; id: string }[];
  };
  return Object.fromEntries(items.map(({ slug, id }) => [slug, id]));
}

/** As if a preflight of a scenario had been seen to be good. */
export async function recordPreflight(t: TestApp, scenarioId: string): Promise<void> {
  await t.store.records.transaction().execute((trx) =>
    recordAudit(trx, {
      orgId: t.orgId,
      at: t.clock.now(),
      actor: { type: "user", id: t.userId },
      action: PREFLIGHT,
      target: scenarioId,
      ip: null,
    }),
  );
}

export function send(
  t: Pick<TestApp, "api">,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return t.api(path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** A scenario with its preflight, and a check of it. */
export async function watched(t: TestApp, slug: string, check: object = {}): Promise<string> {
  const known = (await (await t.api(`/v1/scenarios/${slug}`)).json()) as { id?: string };
  const id = known.id ?? (await syncScenarios(t, { [slug]: scenarioText(slug) }))[slug]!;
  await recordPreflight(t, id);
  const answer = await send(t, "POST", "/v1/scheduled_checks", { scenario_id: slug, ...check });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { id: string }).id;
}

/** Runs of a check in the order of their fires: `2026-03-01T12:05 us-east-1 1 schedule queued`. */
export async function runsOf(t: TestApp, checkId: string): Promise<string[]> {
  const rows = await rowsOf(t, checkId);
  return rows.map(
    ({ scheduled_at, region, attempt, trigger, status }) =>
      `${new Date(scheduled_at).toISOString().slice(0, 16)} ${region} ${attempt} ${trigger} ${status}`,
  );
}

export async function rowsOf(t: TestApp, checkId: string): Promise<RunRow[]> {
  return t.store.records
    .selectFrom("runs")
    .selectAll()
    .where("check_id", "=", checkId)
    .orderBy("scheduled_at")
    .orderBy("region")
    .orderBy("attempt")
    .execute();
}

/** Ends whatever is queued or under way of a check. */
export async function endRuns(
  t: TestApp,
  checkId: string,
  status: "passed" | "failed" = "passed",
): Promise<void> {
  await t.store.records
    .updateTable("runs")
    .set({ status, ended_at: t.clock.now() })
    .where("check_id", "=", checkId)
    .where("status", "in", ["queued", "running"])
    .execute();
}
