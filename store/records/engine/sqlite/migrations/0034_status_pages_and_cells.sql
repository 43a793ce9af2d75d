-- Whether an org's status is public. Null is the usual: that of the first org is, those of others are not.
ALTER TABLE orgs ADD COLUMN status_page INTEGER CHECK (status_page IN (0, 1));

-- Whoever reminds asks for the incidents that are open.
CREATE INDEX incidents_open ON incidents (id) WHERE status = 'open';

-- The cells of an org lie side by side: the grid reads all of them.
CREATE TABLE grid_cells_kept (
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  region TEXT NOT NULL,
  last_run_id TEXT NOT NULL,
  last_run_at INTEGER NOT NULL,
  last_status TEXT NOT NULL CHECK (last_status IN ('passed', 'failed', 'error')),
  history TEXT NOT NULL,
  p50_ms INTEGER,
  p99_ms INTEGER,
  PRIMARY KEY (org_id, scenario_id, region)
) STRICT, WITHOUT ROWID;
INSERT INTO grid_cells_kept SELECT org_id, scenario_id, region, last_run_id, last_run_at, last_status, history, p50_ms, p99_ms FROM grid_cells;
DROP TABLE grid_cells;
ALTER TABLE grid_cells_kept RENAME TO grid_cells;
CREATE INDEX grid_cells_by_scenario ON grid_cells (scenario_id);
