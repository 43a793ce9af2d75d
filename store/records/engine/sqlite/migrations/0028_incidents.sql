-- What the runs of checks found, one row per result that counts: the final attempt of a scheduled run, or a shadow diff. `error` is
-- no failure of the target's; it only tells whether runs can be made at all.
-- Those of one series lie side by side, since a decision reads the newest of them.
CREATE TABLE alert_results (
  run_id TEXT NOT NULL,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  region TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('run', 'shadow')),
  status TEXT NOT NULL CHECK (status IN ('passed', 'failed', 'error')),
  -- When the run ended.
  at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  failure_signature TEXT,
  trace_id TEXT,
  -- Targets that were found another way.
  healed INTEGER NOT NULL DEFAULT 0,
  -- Why it counts for nothing; null when it counts.
  ignored TEXT,
  PRIMARY KEY (scenario_id, region, at, run_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX alert_results_of_run ON alert_results (run_id);
CREATE INDEX alert_results_by_time ON alert_results (at);

CREATE TABLE incidents (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  region TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('consecutive_failures', 'failure_rate', 'latency_p99', 'shadow_diff', 'global_outage')),
  status TEXT NOT NULL CHECK (status IN ('open', 'acknowledged', 'suppressed', 'resolved')),
  severity TEXT NOT NULL CHECK (severity IN ('critical', 'error', 'warning')),
  -- JSON array: every rule that fired.
  rules TEXT NOT NULL,
  -- JSON object: the alert policy, whole, as it was when the incident opened.
  policy TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  acknowledged_at INTEGER,
  acknowledged_by TEXT,
  suppressed_until INTEGER,
  suppress_reason TEXT,
  resolved_at INTEGER,
  parent_incident_id TEXT,
  failure_signature TEXT,
  last_run_id TEXT NOT NULL,
  trace_id TEXT,
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL))
) STRICT;
CREATE INDEX incidents_by_org ON incidents (org_id, id DESC);
CREATE INDEX incidents_by_status ON incidents (org_id, status, id DESC);
CREATE INDEX incidents_by_type ON incidents (org_id, type, id DESC);
CREATE INDEX incidents_of_series ON incidents (scenario_id, region, resolved_at DESC);
CREATE INDEX incidents_by_parent ON incidents (parent_incident_id) WHERE parent_incident_id IS NOT NULL;
-- One incident at a time per scenario and region, and one outage per scenario.
CREATE UNIQUE INDEX incidents_unresolved ON incidents (scenario_id, region)
WHERE resolved_at IS NULL AND type <> 'global_outage';
CREATE UNIQUE INDEX incidents_outage ON incidents (scenario_id) WHERE resolved_at IS NULL AND type = 'global_outage';

CREATE TABLE incident_timeline (
  incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  -- Id of a person or key; null for what happened by itself.
  actor TEXT,
  text TEXT NOT NULL,
  run_id TEXT,
  -- JSON array: ids of the runs that a rule looked at, oldest first.
  samples TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (incident_id, seq)
) STRICT, WITHOUT ROWID;

-- What is to be told, written in the transaction that changes what it is about.
CREATE TABLE notices (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  incident_id TEXT REFERENCES incidents (id) ON DELETE CASCADE,
  scenario_id TEXT,
  region TEXT,
  run_id TEXT,
  failure_signature TEXT,
  trace_id TEXT,
  -- JSON array of ids; null for all that are enabled.
  channels TEXT,
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- Why it is due when it is.
  reason TEXT NOT NULL,
  superseded_at INTEGER,
  superseded_reason TEXT,
  handed_on_at INTEGER,
  CHECK (superseded_at IS NULL OR handed_on_at IS NULL)
) STRICT;
CREATE INDEX notices_due ON notices (due_at, id) WHERE superseded_at IS NULL AND handed_on_at IS NULL;
CREATE INDEX notices_of_incident ON notices (incident_id, id) WHERE incident_id IS NOT NULL;

-- Where runs could not be made lately, for reasons of this program's own.
CREATE TABLE run_errors (
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  region TEXT NOT NULL,
  org_id TEXT NOT NULL,
  errors INTEGER NOT NULL,
  last_run_id TEXT NOT NULL,
  PRIMARY KEY (scenario_id, region)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_errors_by_org ON run_errors (org_id, errors);

-- That an org was told that its runs cannot be made.
CREATE TABLE self_alerts (
  org_id TEXT PRIMARY KEY REFERENCES orgs (id) ON DELETE CASCADE,
  opened_at INTEGER NOT NULL,
  run_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
