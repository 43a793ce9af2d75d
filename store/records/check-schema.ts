import type { Defaulted } from "./columns.ts";

export type CheckOrigin = "api" | "file";
/**
 * Why a fire has no run: the server was not there (`missed`), the run before was still going (`overlap`), the scenario has no
 * address to go to (`no_target`), or the plan has no such region (`not_in_plan`).
 */
export type SkipReason = "missed" | "overlap" | "no_target" | "not_in_plan";

/** Rows of what runs by the clock. Times are integer milliseconds UTC, flags 0 or 1. */
export interface CheckTables {
  scheduled_checks: {
    id: string;
    org_id: string;
    scenario_id: string;
    origin: CheckOrigin;
    cron: string;
    timezone: string;
    /** JSON array of names. */
    regions: string;
    shadow_prod: Defaulted<number>;
    /** JSON object: what was said; what was not has its default when it is read. */
    alert_policy: Defaulted<string>;
    enabled: number;
    /** When the last pause was set. It stays when the pause is over, as do its end and who set it, and is null after a resume. */
    paused_at: Defaulted<number | null>;
    paused_until: Defaulted<number | null>;
    /** Who set the last pause. */
    paused_by: Defaulted<string | null>;
    /** The next fire at which runs are made; null while it is not enabled. While it is paused, the first one after the pause. */
    next_run_at: Defaulted<number | null>;
    /** The newest fire for which a run was made. */
    last_run_at: Defaulted<number | null>;
    /** The newest fire that was dealt with, by a run or by leaving it out. */
    last_tick_at: Defaulted<number | null>;
    /** What runs found before tells nothing any more: it was switched on or resumed then. */
    counts_from: number;
    created_at: number;
    updated_at: number;
  };
  /** Fires without a run, those that follow each other in one row. */
  skipped_ticks: {
    check_id: string;
    region: string;
    reason: SkipReason;
    first_at: number;
    last_at: number;
    ticks: number;
  };
  /** Times in which a check was paused or switched off; `until_at` is null while it has no end. */
  check_rests: { check_id: string; from_at: number; until_at: number | null };
  /** Which commit runs at an address, as whoever deploys it says. */
  deployments: { org_id: string; origin: string; commit_sha: string; deployed_at: number };
  check_slos: { check_id: string; target_percent: number; window_days: number };
  /** Times in which nothing is told, as wall clock times of the zone. */
  maintenance_windows: {
    id: string;
    org_id: string;
    name: string;
    timezone: string;
    /** Of a window that comes once, YYYY-MM-DDTHH:MM; null of one that comes again. */
    starts_at: string | null;
    /** Of a window that comes again. */
    cron: string | null;
    duration_minutes: number;
    /** JSON array of ids; null for all of the org. */
    scenario_ids: string | null;
    created_at: number;
    updated_at: number;
  };
}
