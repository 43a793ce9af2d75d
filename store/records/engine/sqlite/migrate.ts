import type { Database } from "bun:sqlite";
import { NewerDatabaseError } from "../../errors.ts";
import initial from "./migrations/0001_initial.sql" with { type: "text" };
import acrossTraces from "./migrations/0002_across_traces.sql" with { type: "text" };
import library from "./migrations/0003_library.sql" with { type: "text" };
import shareOpenings from "./migrations/0004_share_openings.sql" with { type: "text" };
import runs from "./migrations/0005_runs.sql" with { type: "text" };
import scenarioCoverage from "./migrations/0006_scenario_coverage.sql" with { type: "text" };
import fingerprints from "./migrations/0007_fingerprints.sql" with { type: "text" };
import shadowDiffs from "./migrations/0008_shadow_diffs.sql" with { type: "text" };
import scenarioRecordings from "./migrations/0009_scenario_recordings.sql" with { type: "text" };
import replays from "./migrations/0010_replays.sql" with { type: "text" };
import shareVisitors from "./migrations/0011_share_visitors.sql" with { type: "text" };
import failedStep from "./migrations/0012_failed_step.sql" with { type: "text" };
import secrets from "./migrations/0013_secrets.sql" with { type: "text" };
import limits from "./migrations/0014_limits.sql" with { type: "text" };
import verdicts from "./migrations/0015_verdicts.sql" with { type: "text" };
import traceRecords from "./migrations/0016_trace_records.sql" with { type: "text" };
import servers from "./migrations/0017_servers.sql" with { type: "text" };
import causes from "./migrations/0018_causes.sql" with { type: "text" };
import testRuns from "./migrations/0019_test_runs.sql" with { type: "text" };
import looseBlobs from "./migrations/0020_loose_blobs.sql" with { type: "text" };
import testRunRecords from "./migrations/0021_test_run_records.sql" with { type: "text" };
import signIn from "./migrations/0022_sign_in.sql" with { type: "text" };
import orgs from "./migrations/0023_orgs.sql" with { type: "text" };
import tokens from "./migrations/0024_tokens.sql" with { type: "text" };
import oauth from "./migrations/0025_oauth.sql" with { type: "text" };
import scim from "./migrations/0026_scim.sql" with { type: "text" };
import scheduledChecks from "./migrations/0027_scheduled_checks.sql" with { type: "text" };
import incidents from "./migrations/0028_incidents.sql" with { type: "text" };
import notifications from "./migrations/0029_notifications.sql" with { type: "text" };
import alikeTraces from "./migrations/0031_alike_traces.sql" with { type: "text" };
import gridCells from "./migrations/0032_grid_cells.sql" with { type: "text" };
import checkHistory from "./migrations/0033_check_history.sql" with { type: "text" };
import watchedPages from "./migrations/0034_watched_pages.sql" with { type: "text" };
import retention from "./migrations/0035_retention.sql" with { type: "text" };
import failureHours from "./migrations/0036_failure_hours.sql" with { type: "text" };
import inboundDeliveries from "./migrations/0037_inbound_deliveries.sql" with { type: "text" };
import gates from "./migrations/0038_gates.sql" with { type: "text" };
import mender from "./migrations/0039_mender.sql" with { type: "text" };
import chats from "./migrations/0040_chats.sql" with { type: "text" };
import onboarding from "./migrations/0041_onboarding.sql" with { type: "text" };
import wordsRemoved from "./migrations/0045_words_removed.sql" with { type: "text" };
import failingIncidents from "./migrations/0049_failing_incidents.sql" with { type: "text" };
import lanesAndLoneNotices from "./migrations/0050_lanes_and_lone_notices.sql" with { type: "text" };
import confirmedAddresses from "./migrations/0051_confirmed_addresses.sql" with { type: "text" };
import jobDeaths from "./migrations/0052_job_deaths.sql" with { type: "text" };
import gateCommits from "./migrations/0053_gate_commits.sql" with { type: "text" };
import oldTestRuns from "./migrations/0054_old_test_runs.sql" with { type: "text" };
import toldAgain from "./migrations/0055_told_again.sql" with { type: "text" };
import wideWordPages from "./migrations/0056_wide_word_pages.sql" with { type: "text" };
import failureBlocks from "./migrations/0057_failure_blocks.sql" with { type: "text" };

/** In order; a migration that has shipped is never edited. */
const MIGRATIONS: { version: number; name: string; sql: string }[] = [
  { version: 1, name: "initial", sql: initial },
  { version: 2, name: "across traces", sql: acrossTraces },
  { version: 3, name: "library", sql: library },
  { version: 4, name: "share openings", sql: shareOpenings },
  { version: 5, name: "runs", sql: runs },
  { version: 6, name: "scenario coverage", sql: scenarioCoverage },
  { version: 7, name: "fingerprints", sql: fingerprints },
  { version: 8, name: "shadow diffs", sql: shadowDiffs },
  { version: 9, name: "scenario recordings", sql: scenarioRecordings },
  { version: 10, name: "replays", sql: replays },
  { version: 11, name: "share visitors", sql: shareVisitors },
  { version: 12, name: "failed step", sql: failedStep },
  { version: 13, name: "secrets", sql: secrets },
  { version: 14, name: "limits", sql: limits },
  { version: 15, name: "verdicts", sql: verdicts },
  { version: 16, name: "trace records", sql: traceRecords },
  { version: 17, name: "servers", sql: servers },
  { version: 18, name: "causes", sql: causes },
  { version: 19, name: "test runs", sql: testRuns },
  { version: 20, name: "loose blobs", sql: looseBlobs },
  { version: 21, name: "test run records", sql: testRunRecords },
  { version: 22, name: "sign in", sql: signIn },
  { version: 23, name: "orgs", sql: orgs },
  { version: 24, name: "tokens", sql: tokens },
  { version: 25, name: "oauth", sql: oauth },
  { version: 26, name: "scim", sql: scim },
  { version: 27, name: "scheduled checks", sql: scheduledChecks },
  { version: 28, name: "incidents", sql: incidents },
  { version: 29, name: "notifications", sql: notifications },
  { version: 31, name: "alike traces", sql: alikeTraces },
  { version: 32, name: "grid cells", sql: gridCells },
  { version: 33, name: "check history", sql: checkHistory },
  { version: 34, name: "watched pages", sql: watchedPages },
  { version: 35, name: "retention", sql: retention },
  { version: 36, name: "failure hours", sql: failureHours },
  { version: 37, name: "inbound deliveries", sql: inboundDeliveries },
  { version: 38, name: "gates", sql: gates },
  { version: 39, name: "mender", sql: mender },
  { version: 40, name: "chats", sql: chats },
  { version: 41, name: "onboarding", sql: onboarding },
  { version: 45, name: "words removed", sql: wordsRemoved },
  { version: 49, name: "failing incidents", sql: failingIncidents },
  { version: 50, name: "lanes and lone notices", sql: lanesAndLoneNotices },
  { version: 51, name: "confirmed addresses", sql: confirmedAddresses },
  { version: 52, name: "job deaths", sql: jobDeaths },
  { version: 53, name: "gate commits", sql: gateCommits },
  { version: 54, name: "old test runs", sql: oldTestRuns },
  { version: 55, name: "told again", sql: toldAgain },
  { version: 56, name: "wide word pages", sql: wideWordPages },
  { version: 57, name: "failure blocks", sql: failureBlocks },
];

export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.version;

/**
 * Brings the database to `SCHEMA_VERSION`, each migration in its own transaction, so that a kill leaves it at a
 * whole version. Also of a new database: its journal has then grown to a size in which a verdict can be written on a full
 * disk. The version is SQLite's own `user_version`.
 * @throws NewerDatabaseError when the file was written by a newer program.
 */
export function migrate(raw: Database): void {
  const current = schemaVersion(raw);
  if (current > SCHEMA_VERSION) {
    throw new NewerDatabaseError(
      `The database has schema version ${current}; this program knows up to ${SCHEMA_VERSION}. ` +
        "It was written by a newer tracedeck: start that version, or restore a backup made by this one.",
    );
  }
  for (const { version, sql } of MIGRATIONS) {
    if (version <= current) continue;
    raw
      .transaction(() => {
        // Another process may have done it while this one waited for the write lock.
        if (schemaVersion(raw) >= version) return;
        raw.exec(sql);
        raw.exec(`PRAGMA user_version = ${version}`);
      })
      .immediate();
  }
}

export function schemaVersion(raw: Database): number {
  return (raw.query("PRAGMA user_version").get() as { user_version: number }).user_version;
}
