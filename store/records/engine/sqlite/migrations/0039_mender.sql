-- What was made of failures: why a scenario failed, and a change of its file where that is what is wrong. It outlives the run and the
-- trace that it came from.
CREATE TABLE mender_attempts (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  scenario_id TEXT NOT NULL REFERENCES scenarios (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  failure_signature TEXT NOT NULL,
  -- SHA-256 of the file that the run was made from: a changed file may be looked at anew.
  basis TEXT NOT NULL,
  -- The replay that a person promoted; null for what was made by itself.
  promoted_replay_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('proposed', 'verified', 'applied', 'rejected', 'failed')),
  stage TEXT NOT NULL CHECK (stage IN ('diagnosing', 'repeating', 'verifying', 'ended')),
  origin TEXT NOT NULL CHECK (origin IN ('rules', 'model', 'replay')),
  classification TEXT NOT NULL,
  confidence REAL NOT NULL,
  summary TEXT NOT NULL,
  -- JSON array.
  evidence TEXT NOT NULL,
  -- Of the scenario's file, and the file as the patch finds it.
  path TEXT NOT NULL,
  base_text TEXT NOT NULL,
  patch TEXT,
  -- JSON array of patches of other files: path and diff.
  source_patches TEXT NOT NULL DEFAULT '[]',
  -- SHA-256 of what the patch removes and adds, wherever it stands.
  patch_hash TEXT,
  -- JSON: changes that were thought of and are not tried yet.
  waiting TEXT NOT NULL DEFAULT '[]',
  -- The replay whose end is waited for.
  replay_id TEXT,
  rounds INTEGER NOT NULL DEFAULT 0,
  -- JSON; null before anything was repeated.
  verification TEXT,
  pr_url TEXT,
  reject_reason TEXT,
  decided_by TEXT,
  tokens_used INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX mender_attempts_once ON mender_attempts (scenario_id, failure_signature, basis)
  WHERE promoted_replay_id IS NULL;
CREATE UNIQUE INDEX mender_attempts_promoted ON mender_attempts (promoted_replay_id) WHERE promoted_replay_id IS NOT NULL;
CREATE INDEX mender_attempts_by_org ON mender_attempts (org_id, id);
CREATE INDEX mender_attempts_by_status ON mender_attempts (org_id, status, id);
CREATE INDEX mender_attempts_by_scenario ON mender_attempts (scenario_id, id);
CREATE INDEX mender_attempts_by_trace ON mender_attempts (org_id, trace_id, id);
CREATE INDEX mender_attempts_by_replay ON mender_attempts (replay_id) WHERE replay_id IS NOT NULL;
CREATE INDEX mender_attempts_open ON mender_attempts (updated_at) WHERE stage <> 'ended';
CREATE INDEX mender_attempts_old ON mender_attempts (updated_at) WHERE stage = 'ended' AND status <> 'rejected';

-- What a notice of a fix is about.
ALTER TABLE notices ADD COLUMN mender_attempt_id TEXT;
