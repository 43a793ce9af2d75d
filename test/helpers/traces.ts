import { join } from "node:path";
import { createOrg } from "../../server/identity/orgs.ts";
import { NOT_COMPARED } from "../../server/trace/format/cause-section.ts";
import { findArtifact } from "../../store/records/artifacts.ts";
import type { TestApp } from "./app.ts";
import { bundle, eventLines, events, manifest, type TarEntry, uploadForm } from "./bundles.ts";

/** What the trace API answers, as far as tests look at it. */
export interface TraceJson {
  id: string;
  short_id: string;
  status: string;
  tier: string;
  pinned: boolean;
  signed_urls: Record<string, string>;
  [field: string]: unknown;
}

/** Uploads a bundle (ten console lines, passed, unless `entries` say otherwise) and runs what it sets off. */
export async function uploadTrace(
  app: TestApp,
  options: {
    entries?: TarEntry[];
    manifest?: Record<string, unknown>;
    slug?: string;
    fields?: Record<string, string>;
    api?: TestApp["api"];
  } = {},
): Promise<{ id: string; shortId: string }> {
  const entries = options.entries ?? [events(eventLines(10))];
  const file = bundle([manifest({ status: "passed", ...options.manifest }), ...entries]);
  const form = uploadForm(file, { scenario_slug: options.slug ?? "checkout", ...options.fields });
  const response = await (options.api ?? app.api)("/v1/traces/ingest", { method: "POST", body: form });
  if (response.status !== 200) throw new Error(`The upload was refused: ${await response.text()}`);
  const { trace_id, short_id } = (await response.json()) as { trace_id: string; short_id: string };
  await app.runJobs();
  return { id: trace_id, shortId: short_id };
}

export async function getJson<Answer = TraceJson>(app: TestApp, path: string): Promise<Answer> {
  const response = await app.api(path);
  if (response.status !== 200)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

export const post = (app: TestApp, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  app.api(path, {
    method: "POST",
    ...(body === undefined
      ? { headers }
      : { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } }),
  });

/** Where the event file of a hot trace lies. */
export async function eventsPath(app: TestApp, id: string): Promise<string> {
  const artifact = await findArtifact(app.store.records, id, "ndjson");
  return join(app.dataDir, artifact!.path);
}

/** The path of an absolute URL, to be asked of the app itself. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Runs a periodic task of the runtime, and the jobs that it adds. */
export async function runPeriodic(app: TestApp, name: string): Promise<void> {
  const task = app.runtime.periodic.find((one) => one.name === name);
  if (!task) throw new Error(`There is no periodic task "${name}".`);
  await task.run();
  await app.runJobs();
}

/** Another org with a key of every scope. */
export async function otherOrg(app: TestApp): Promise<{ orgId: string; api: TestApp["api"] }> {
  const made = await createOrg(app.deps, "other");
  const authorization = `Bearer ${made.api_key}`;
  return {
    orgId: made.org_id,
    api: (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", authorization);
      return app.api(path, { ...init, headers });
    },
  };
}

/**
 * A report or prompt that was told without a pass, as whoever is handed the trace alone reads it: nothing is said of passes.
 * @throws Error when the text says nothing of them itself
 */
export function withoutPasses(told: string): string {
  const said = `${NOT_COMPARED}\n\n`;
  if (!told.includes(said)) throw new Error(`“${NOT_COMPARED}” is not said.`);
  return told.replace(said, "");
}
