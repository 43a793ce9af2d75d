-- Pull requests as they were last told of, and the verdicts on their head commits.
CREATE TABLE pull_requests (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  -- owner/name
  repository TEXT NOT NULL,
  number INTEGER NOT NULL,
  title TEXT NOT NULL,
  url TEXT,
  author TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
  is_merged INTEGER NOT NULL DEFAULT 0 CHECK (is_merged IN (0, 1)),
  is_draft INTEGER NOT NULL DEFAULT 0 CHECK (is_draft IN (0, 1)),
  is_fork INTEGER NOT NULL DEFAULT 0 CHECK (is_fork IN (0, 1)),
  head_sha TEXT NOT NULL,
  head_ref TEXT NOT NULL,
  base_sha TEXT NOT NULL,
  base_ref TEXT NOT NULL,
  -- The newest gate; null while there is none.
  gate_id TEXT,
  -- When the code host says that it changed last.
  host_updated_at INTEGER NOT NULL,
  -- When something was last heard of it here: the order of the list.
  changed_at INTEGER NOT NULL,
  UNIQUE (org_id, repository, number)
) STRICT;
CREATE INDEX pull_requests_by_org ON pull_requests (org_id, changed_at DESC, id DESC);

CREATE TABLE gates (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('pull_request', 'merge_group')),
  repository TEXT NOT NULL,
  -- Null for a gate of a merge group.
  pull_request_id TEXT REFERENCES pull_requests (id) ON DELETE CASCADE,
  pr_number INTEGER,
  head_sha TEXT NOT NULL,
  head_ref TEXT NOT NULL,
  base_sha TEXT NOT NULL,
  is_fork INTEGER NOT NULL CHECK (is_fork IN (0, 1)),
  -- From 1: the same commit may be judged again.
  attempt INTEGER NOT NULL,
  trigger TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('queued', 'waiting', 'running', 'passed', 'failed', 'error', 'superseded', 'cancelled')),
  -- One sentence: why it has this status.
  reason TEXT,
  -- Where its runs go; null while nobody knows, or when they need no address.
  base_url TEXT,
  wait_until INTEGER,
  -- JSON: what came with the request instead of from a repository.
  given TEXT,
  -- JSON array of { path, line, column, message }: scenario files of the head commit that do not compile.
  problems TEXT NOT NULL DEFAULT '[]',
  -- What people made of it.
  decision TEXT CHECK (decision IN ('approved', 'rejected')),
  decided_by TEXT,
  decided_at INTEGER,
  -- Rises with every change that the code host is to be told of, and what it was told.
  version INTEGER NOT NULL DEFAULT 1,
  told_version INTEGER NOT NULL DEFAULT 0,
  -- The host wants nobody to ask before.
  tell_after INTEGER,
  check_run_id INTEGER,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER
) STRICT;
CREATE INDEX gates_by_org ON gates (org_id, id DESC);
CREATE INDEX gates_by_pull_request ON gates (pull_request_id, id DESC) WHERE pull_request_id IS NOT NULL;
CREATE INDEX gates_by_head ON gates (org_id, head_sha, id DESC);
CREATE INDEX gates_untold ON gates (org_id, id) WHERE told_version < version;
CREATE INDEX gates_open ON gates (wait_until, id) WHERE status IN ('queued', 'waiting', 'running');
-- Of a pull request one commit is judged at a time, and each commit so often.
CREATE UNIQUE INDEX gates_one_open ON gates (pull_request_id)
WHERE pull_request_id IS NOT NULL AND status IN ('queued', 'waiting', 'running');
CREATE UNIQUE INDEX gates_one_attempt ON gates (org_id, repository, coalesce(pr_number, 0), kind, head_sha, attempt);

-- The scenarios that a head commit concerns.
CREATE TABLE gate_scenarios (
  gate_id TEXT NOT NULL REFERENCES gates (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  title TEXT NOT NULL,
  -- In the repository.
  path TEXT NOT NULL,
  -- JSON array of { path, rule }.
  reasons TEXT NOT NULL,
  -- JSON: `RunPlan`; null once its run is made.
  plan TEXT,
  -- Why no run is made of it.
  withheld TEXT,
  run_id TEXT,
  -- The run of the same scenario on the base commit that tells whether it fails there too.
  base_run_id TEXT,
  -- JSON: `Finding`; null while its run goes on.
  finding TEXT,
  PRIMARY KEY (gate_id, slug)
) STRICT, WITHOUT ROWID;
CREATE INDEX gate_scenarios_by_run ON gate_scenarios (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX gate_scenarios_by_base_run ON gate_scenarios (base_run_id) WHERE base_run_id IS NOT NULL;

-- The gate that a notice tells of.
ALTER TABLE notices ADD COLUMN gate_id TEXT;

-- Runs of a repository's pull requests.
CREATE INDEX runs_of_pull_requests ON runs (org_id, id DESC) WHERE pr IS NOT NULL;
