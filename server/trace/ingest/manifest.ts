import { unreadable } from "../../../store/archives/errors.ts";
import type { TraceSource, TraceStatus } from "../../../store/records/schema.ts";
import { fromIso } from "../../platform/clock.ts";
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../../platform/json-depth.ts";

/** What `manifest.json` of a bundle says (decisions, section 5); null where it says nothing. Times are epoch ms. */
export interface Manifest {
  scenarioSlug: string | null;
  scenarioTitle: string | null;
  status: FinalStatus | null;
  startedAt: number | null;
  endedAt: number | null;
  codeSha: string | null;
  source: TraceSource | null;
  prNumber: number | null;
  runId: string | null;
  /** Which try of its run it is, from 1. */
  attempt: number | null;
  region: string | null;
  env: Record<string, unknown>;
  /** Fields that are there and that nobody knows. */
  unknown: string[];
}

const FIELDS = [
  ...["version", "scenario", "status", "started_at", "ended_at", "code_sha", "source", "pr_number", "run_id"],
  ...["attempt", "region", "env"],
];
const SCENARIO_FIELDS = ["slug", "title"];

export type FinalStatus = Extract<TraceStatus, "passed" | "failed" | "error" | "aborted">;

export const SOURCES = ["pr", "schedule", "manual", "shadow_diff"] as const satisfies TraceSource[];
export const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;

const FINAL_STATUSES = ["passed", "failed", "error", "aborted"] as const satisfies FinalStatus[];
const LONGEST_TEXT = 1000;

/**
 * Reads a manifest. Version 1 is required; a field that is there must have its form, one that is not is null; fields
 * that nobody knows are only named.
 * @throws ArchiveError `bundle_unreadable` naming the field.
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  const manifest = asObject(parseJson(bytes), "manifest.json");
  if (manifest.version !== 1)
    throw unreadable(
      typeof manifest.version === "number" && manifest.version > 1
        ? `manifest.json has version ${manifest.version}, which is newer than this program knows (1).`
        : "manifest.json has no `version` 1.",
    );
  const scenario = asObject(manifest.scenario ?? {}, "`scenario` of manifest.json");
  const slug = text(scenario.slug, "scenario.slug");
  if (slug !== null && !SLUG.test(slug)) throw bad("scenario.slug", "a slug of a-z, 0-9 and -, at most 64");
  return {
    scenarioSlug: slug,
    scenarioTitle: text(scenario.title, "scenario.title"),
    status: oneOf(manifest.status, "status", FINAL_STATUSES),
    startedAt: time(manifest.started_at, "started_at"),
    endedAt: time(manifest.ended_at, "ended_at"),
    codeSha: text(manifest.code_sha, "code_sha"),
    source: oneOf(manifest.source, "source", SOURCES),
    prNumber: positive(manifest.pr_number, "pr_number"),
    runId: text(manifest.run_id, "run_id"),
    attempt: positive(manifest.attempt, "attempt"),
    region: text(manifest.region, "region"),
    env: asObject(manifest.env ?? {}, "`env` of manifest.json"),
    unknown: [
      ...Object.keys(manifest).filter((name) => !FIELDS.includes(name)),
      ...Object.keys(scenario)
        .filter((name) => !SCENARIO_FIELDS.includes(name))
        .map((name) => `scenario.${name}`),
    ],
  };
}

function parseJson(bytes: Uint8Array): unknown {
  if (isNestedTooDeep(bytes)) throw unreadable(`manifest.json nests deeper than ${MAX_JSON_DEPTH} levels.`);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw unreadable(
      `manifest.json is not JSON in UTF-8: ${error instanceof Error ? error.message : error}.`,
    );
  }
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw unreadable(`${what} is not a JSON object.`);
}

function text(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.length > 0 && value.length <= LONGEST_TEXT && !value.includes("\0"))
    return value;
  throw bad(field, `a text of 1 to ${LONGEST_TEXT} characters`);
}

function oneOf<T extends string>(value: unknown, field: string, allowed: readonly T[]): T | null {
  if (value === undefined || value === null) return null;
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw bad(field, `one of ${allowed.join(", ")}`);
  return found;
}

function time(value: unknown, field: string): number | null {
  if (value === undefined || value === null) return null;
  const ms = typeof value === "string" ? fromIso(value) : null;
  if (ms === null) throw bad(field, "an ISO 8601 time");
  return ms;
}

function positive(value: unknown, field: string): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw bad(field, "a positive integer");
}

const bad = (field: string, right: string) =>
  unreadable(`\`${field}\` of manifest.json is not right: it must be ${right}.`);
