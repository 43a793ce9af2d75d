-- Scenarios that run by the clock.
CREATE TABLE scheduled_checks (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  -- Whether a person made it, or the `schedule` of the scenario's file.
  origin TEXT NOT NULL CHECK (origin IN ('api', 'file')),
  cron TEXT NOT NULL,
  timezone TEXT NOT NULL,
  -- JSON array of names.
  regions TEXT NOT NULL,
  shadow_prod INTEGER NOT NULL DEFAULT 0 CHECK (shadow_prod IN (0, 1)),
  -- JSON object: what was said; what was not has its default when it is read.
  alert_policy TEXT NOT NULL DEFAULT '{}',
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  -- The last pause, also when it is over; null after a resume.
  paused_at INTEGER,
  paused_until INTEGER,
  paused_by TEXT,
  -- The next fire at which runs are made; null while it is not enabled. While it is paused, the first one after the pause.
  next_run_at INTEGER,
  -- The newest fire for which a run was made.
  last_run_at INTEGER,
  -- The newest fire that was dealt with, by a run or by leaving it out.
  last_tick_at INTEGER,
  -- What runs found before tells nothing any more: it was switched on or resumed then.
  counts_from INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX scheduled_checks_by_org ON scheduled_checks (org_id, id DESC);
CREATE INDEX scheduled_checks_by_scenario ON scheduled_checks (scenario_id);
CREATE INDEX scheduled_checks_due ON scheduled_checks (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE UNIQUE INDEX scheduled_checks_of_file ON scheduled_checks (scenario_id) WHERE origin = 'file';

-- Fires without a run, those that follow each other in one row.
CREATE TABLE skipped_ticks (
  check_id TEXT NOT NULL REFERENCES scheduled_checks (id) ON DELETE CASCADE,
  region TEXT NOT NULL,
  reason TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  ticks INTEGER NOT NULL,
  PRIMARY KEY (check_id, region, first_at)
) STRICT, WITHOUT ROWID;

-- The check whose fire a run is for; a check that goes leaves its runs. One fire is one run per region, and one per retry.
ALTER TABLE runs ADD COLUMN check_id TEXT;
-- When a run of a check got one of the places that its org has at once.
ALTER TABLE runs ADD COLUMN admitted_at INTEGER;
CREATE UNIQUE INDEX runs_once_a_tick ON runs (check_id, region, scheduled_at, attempt) WHERE check_id IS NOT NULL;
CREATE INDEX runs_of_checks_open ON runs (org_id, scheduled_at, id)
WHERE check_id IS NOT NULL AND status IN ('queued', 'running');

-- Times in which nothing is told. Both kinds are wall clock times of the zone.
CREATE TABLE maintenance_windows (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  timezone TEXT NOT NULL,
  -- Of a window that comes once, YYYY-MM-DDTHH:MM.
  starts_at TEXT,
  -- Of one that comes again.
  cron TEXT,
  duration_minutes INTEGER NOT NULL,
  -- JSON array of ids; null for all of the org.
  scenario_ids TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((starts_at IS NULL) <> (cron IS NULL))
) STRICT;
CREATE INDEX maintenance_windows_by_org ON maintenance_windows (org_id, id);

-- Schedules ask whether a scenario has one.
CREATE INDEX audit_events_preflight ON audit_events (org_id, target) WHERE action = 'synthetic.preflight';
