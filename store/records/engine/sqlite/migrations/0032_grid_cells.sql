-- What the grid shows of a scenario in a region, made anew with each result: the grid reads one row per cell.
CREATE TABLE grid_cells (
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  region TEXT NOT NULL,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  last_run_id TEXT NOT NULL,
  -- When that run ended.
  last_run_at INTEGER NOT NULL,
  last_status TEXT NOT NULL CHECK (last_status IN ('passed', 'failed', 'error')),
  -- JSON array, oldest first.
  history TEXT NOT NULL,
  p50_ms INTEGER,
  p99_ms INTEGER,
  PRIMARY KEY (scenario_id, region)
) STRICT, WITHOUT ROWID;
CREATE INDEX grid_cells_by_org ON grid_cells (org_id);
