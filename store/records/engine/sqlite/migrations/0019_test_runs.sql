-- Runs of a test suite, their shards together. `heard_at` is when something was last heard of a run; `was_silent` tells a
-- run that was given up for that from one that was interrupted. The counts are those of its tests.
CREATE TABLE test_runs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  short_id TEXT NOT NULL UNIQUE,
  name TEXT,
  ci_provider TEXT,
  ci_run_id TEXT,
  ci_url TEXT,
  branch TEXT,
  commit_sha TEXT,
  is_dirty INTEGER NOT NULL DEFAULT 0 CHECK (is_dirty IN (0, 1)),
  pr_number INTEGER,
  status TEXT NOT NULL CHECK (status IN ('running', 'passed', 'failed', 'interrupted')),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  created_at INTEGER NOT NULL,
  heard_at INTEGER NOT NULL,
  was_silent INTEGER NOT NULL DEFAULT 0 CHECK (was_silent IN (0, 1)),
  passed INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  flaky INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  not_run INTEGER NOT NULL DEFAULT 0,
  CHECK ((status = 'running') = (ended_at IS NULL))
) STRICT;
CREATE INDEX test_runs_by_start ON test_runs (org_id, started_at DESC, id DESC);
CREATE INDEX test_runs_by_branch ON test_runs (org_id, branch, started_at DESC, id DESC);
CREATE INDEX test_runs_by_commit ON test_runs (org_id, commit_sha, started_at DESC, id DESC);
CREATE INDEX test_runs_by_pr ON test_runs (org_id, pr_number, started_at DESC, id DESC);
CREATE INDEX test_runs_by_status ON test_runs (org_id, status, started_at DESC, id DESC);
CREATE INDEX test_runs_of_name ON test_runs (org_id, name, branch, started_at DESC, id DESC) WHERE status <> 'running';
CREATE INDEX test_runs_quiet ON test_runs (heard_at) WHERE status = 'running';

-- Which run a CI's run of that name is: the first writer of a day makes it, all others meet it here. `name` is '' without one.
CREATE TABLE test_run_keys (
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  ci_run_id TEXT NOT NULL,
  name TEXT NOT NULL,
  test_run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, ci_run_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE test_run_shards (
  test_run_id TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
  shard_index INTEGER NOT NULL CHECK (shard_index >= 1),
  shard_total INTEGER NOT NULL CHECK (shard_total >= shard_index),
  status TEXT NOT NULL CHECK (status IN ('running', 'passed', 'failed', 'interrupted')),
  ended_at INTEGER,
  PRIMARY KEY (test_run_id, shard_index)
) STRICT, WITHOUT ROWID;

-- A test within a run. `test_key` is a hash of project, file and titles, the same in every run; what stands here besides
-- is of its last attempt.
CREATE TABLE test_run_tests (
  test_run_id TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
  test_key TEXT NOT NULL,
  org_id TEXT NOT NULL,
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  project TEXT NOT NULL,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  -- JSON arrays: titles; tags; { type, description }.
  title_path TEXT NOT NULL,
  tags TEXT NOT NULL,
  annotations TEXT NOT NULL,
  -- In small letters: what a search looks through.
  search_text TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('passed', 'failed', 'flaky', 'skipped', 'not_run')),
  expected TEXT NOT NULL CHECK (expected IN ('passed', 'failed', 'skipped')),
  duration_ms INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  last_attempt INTEGER NOT NULL,
  PRIMARY KEY (test_run_id, test_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX test_run_tests_in_order ON test_run_tests (test_run_id, file, line, test_key);
CREATE INDEX test_run_tests_by_outcome ON test_run_tests (test_run_id, outcome);
CREATE INDEX test_run_tests_by_scenario ON test_run_tests (org_id, scenario_id, started_at DESC);

CREATE TABLE test_run_attempts (
  test_run_id TEXT NOT NULL,
  test_key TEXT NOT NULL,
  attempt INTEGER NOT NULL CHECK (attempt >= 1),
  status TEXT NOT NULL CHECK (status IN ('passed', 'failed', 'timed_out', 'interrupted', 'skipped')),
  expected TEXT NOT NULL CHECK (expected IN ('passed', 'failed', 'skipped')),
  duration_ms INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  trace_id TEXT REFERENCES traces (id) ON DELETE SET NULL,
  error_message TEXT,
  error_stack TEXT,
  -- Of the error's message, as that of a trace; null without an error.
  error_signature TEXT,
  PRIMARY KEY (test_run_id, test_key, attempt),
  FOREIGN KEY (test_run_id, test_key) REFERENCES test_run_tests (test_run_id, test_key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX test_run_attempts_by_trace ON test_run_attempts (trace_id) WHERE trace_id IS NOT NULL;
