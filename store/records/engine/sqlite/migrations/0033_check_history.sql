-- What the results of a scenario in a region came to, hour by hour: how long it was up and down, and how long its passed runs took. Small
-- enough to be kept when the results themselves have gone.
CREATE TABLE result_hours (
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  region TEXT NOT NULL,
  -- When the hour begins.
  hour INTEGER NOT NULL,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  up_ms INTEGER NOT NULL,
  down_ms INTEGER NOT NULL,
  maintenance_ms INTEGER NOT NULL,
  passed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  -- JSON object: how many passed runs took how long, by the number of the class (server/watch/availability/sketch.ts).
  durations TEXT NOT NULL,
  PRIMARY KEY (scenario_id, region, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX result_hours_by_time ON result_hours (hour);

-- The newest result that is in the hours of its series.
CREATE TABLE result_folds (
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  region TEXT NOT NULL,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('passed', 'failed', 'error')),
  PRIMARY KEY (scenario_id, region)
) STRICT, WITHOUT ROWID;

-- Times in which a check was paused or switched off. One that goes on has no end, or one that is yet to come.
CREATE TABLE check_rests (
  check_id TEXT NOT NULL REFERENCES scheduled_checks (id) ON DELETE CASCADE,
  from_at INTEGER NOT NULL,
  until_at INTEGER,
  PRIMARY KEY (check_id, from_at)
) STRICT, WITHOUT ROWID;
-- Of what was paused or off before, the last time is known.
INSERT INTO check_rests SELECT id, updated_at, NULL FROM scheduled_checks WHERE enabled = 0;
INSERT INTO check_rests SELECT id, paused_at, paused_until FROM scheduled_checks
WHERE enabled = 1 AND paused_at IS NOT NULL AND paused_until IS NOT NULL;

-- What is promised of a check: so many percent of the time that is measured within a rolling window.
CREATE TABLE check_slos (
  check_id TEXT PRIMARY KEY REFERENCES scheduled_checks (id) ON DELETE CASCADE,
  target_percent REAL NOT NULL,
  window_days INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
