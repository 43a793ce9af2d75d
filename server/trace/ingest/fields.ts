import { invalid } from "../../http/errors.ts";
import { isNestedTooDeep } from "../../platform/json-depth.ts";
import { SLUG, SOURCES } from "./manifest.ts";
import type { IngestFields } from "./publish.ts";

/** The fields beside the file as texts, by their names on the wire. */
export interface RawFields {
  scenario_slug?: string | undefined;
  scenario_title?: string | undefined;
  source?: string | undefined;
  commit_sha?: string | undefined;
  pr_number?: string | undefined;
  run_id?: string | undefined;
  attempt?: string | undefined;
  /** A JSON object. */
  env?: string | undefined;
}

const LONGEST_TITLE = 1000;

/** @throws AppError `invalid_request` naming the field. */
export function checkFields(raw: RawFields): IngestFields {
  const { scenario_slug, scenario_title, source, commit_sha, pr_number, run_id, attempt, env } = raw;
  if (scenario_slug === undefined) throw invalid("`scenario_slug` is missing.");
  if (!SLUG.test(scenario_slug))
    throw invalid("`scenario_slug` must be 1 to 64 of a-z, 0-9 and -, beginning with a letter or digit.");
  if (scenario_title !== undefined && !isTitle(scenario_title))
    throw invalid(`\`scenario_title\` must be 1 to ${LONGEST_TITLE} characters without NUL.`);
  const knownSource = SOURCES.find((one) => one === source);
  if (source !== undefined && knownSource === undefined)
    throw invalid(`\`source\` must be one of ${SOURCES.join(", ")}.`);
  if (commit_sha !== undefined && !/^[\x21-\x7e]{1,200}$/.test(commit_sha))
    throw invalid("`commit_sha` must be 1 to 200 visible characters without spaces.");
  if (pr_number !== undefined && !/^[1-9]\d{0,14}$/.test(pr_number))
    throw invalid("`pr_number` must be a positive integer.");
  if (run_id !== undefined && !/^[\x21-\x7e]{1,200}$/.test(run_id))
    throw invalid("`run_id` must be 1 to 200 visible characters without spaces.");
  if (attempt !== undefined && !/^[1-9]\d{0,3}$/.test(attempt))
    throw invalid("`attempt` must be an integer from 1 to 9999.");
  return {
    scenarioSlug: scenario_slug,
    scenarioTitle: scenario_title ?? null,
    source: knownSource ?? null,
    commitSha: commit_sha ?? null,
    prNumber: pr_number === undefined ? null : Number(pr_number),
    runId: run_id ?? null,
    attempt: attempt === undefined ? null : Number(attempt),
    env: env === undefined ? {} : objectOf(env),
  };
}

const isTitle = (text: string): boolean =>
  text.length > 0 && text.length <= LONGEST_TITLE && !text.includes("\0");

function objectOf(text: string): Record<string, unknown> {
  const wrong = () => invalid('`env` must be a JSON object, such as {"project":"chromium"}.');
  if (isNestedTooDeep(Buffer.from(text))) throw wrong();
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw wrong();
}
