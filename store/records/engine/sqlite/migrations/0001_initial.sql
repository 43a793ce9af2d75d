CREATE TABLE orgs (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name TEXT NOT NULL,
  password_hash TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE memberships (
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'billing')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, user_id)
) STRICT;
CREATE INDEX memberships_by_user ON memberships (user_id);

-- API keys, personal tokens and service tokens: `hash` is the SHA-256 hex of the whole secret.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('sk', 'pat', 'svc')),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX api_keys_by_org ON api_keys (org_id, created_at, id);

CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE signin_codes (
  hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;

CREATE TABLE audit_events (
  seq INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id),
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  ip TEXT,
  detail TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_events_by_org ON audit_events (org_id, seq);

CREATE TABLE scenarios (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id),
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (org_id, slug)
) STRICT;

-- `ord` is the first 60 bits of the UUIDv7 in `id` (milliseconds × 4096 + counter): the list's order and the
-- full-text table's rowid in one number, so that a search can walk newest first without sorting.
CREATE TABLE traces (
  ord INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  org_id TEXT NOT NULL REFERENCES orgs (id),
  short_id TEXT NOT NULL UNIQUE,
  scenario_id TEXT NOT NULL REFERENCES scenarios (id),
  scenario_slug TEXT NOT NULL,
  scenario_title TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'passed', 'failed', 'error', 'aborted')),
  status_reason TEXT,
  tier TEXT NOT NULL CHECK (tier IN ('hot', 'warm', 'cold')),
  pinned INTEGER NOT NULL DEFAULT 0,
  source TEXT CHECK (source IN ('pr', 'schedule', 'manual', 'shadow_diff')),
  code_sha TEXT,
  pr_number INTEGER,
  run_id TEXT,
  region TEXT,
  env TEXT NOT NULL DEFAULT '{}',
  -- What the uploader said the outcome was; post-processing turns it into `status`.
  claimed_status TEXT,
  failure_signature TEXT,
  failure_message TEXT,
  failed_step_id TEXT,
  final_screenshot TEXT,
  duration_ms INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  -- Retention counts from here: upload, or the last restore.
  aged_from INTEGER NOT NULL,
  total_size_bytes INTEGER NOT NULL DEFAULT 0,
  blob_count INTEGER NOT NULL DEFAULT 0,
  event_count INTEGER NOT NULL DEFAULT 0,
  error_count INTEGER NOT NULL DEFAULT 0,
  warnings TEXT NOT NULL DEFAULT '[]',
  parent_trace_id TEXT,
  replay_from_step INTEGER,
  share_visibility TEXT CHECK (share_visibility IN ('org-only', 'public-read')),
  share_expires_at INTEGER,
  restore_error TEXT,
  restoring INTEGER NOT NULL DEFAULT 0,
  -- Live capture: the next chunk number and the last sequence number taken.
  next_chunk INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER,
  last_chunk_at INTEGER,
  -- Status, source, tier and pin in one number, so that every combination of them is a few ranges of one index.
  facet INTEGER NOT NULL GENERATED ALWAYS AS (
    ((CASE status WHEN 'queued' THEN 0 WHEN 'running' THEN 1 WHEN 'passed' THEN 2 WHEN 'failed' THEN 3
        WHEN 'error' THEN 4 ELSE 5 END * 5
      + CASE source WHEN 'pr' THEN 1 WHEN 'schedule' THEN 2 WHEN 'manual' THEN 3 WHEN 'shadow_diff' THEN 4 ELSE 0 END) * 3
      + CASE tier WHEN 'hot' THEN 0 WHEN 'warm' THEN 1 ELSE 2 END) * 2
      + pinned
  ) VIRTUAL,
  -- What the list filters by, as words of the full-text index. They begin with U+E000, which a search never sends.
  tags TEXT NOT NULL GENERATED ALWAYS AS (
    char(57344) || 'o' || replace(org_id, '-', '')
      || ' ' || char(57344) || 'c' || replace(scenario_id, '-', '')
      || ' ' || char(57344) || 's' || status
      || ' ' || char(57344) || 't' || tier
      || ' ' || char(57344) || 'p' || pinned
      || coalesce(' ' || char(57344) || 'r' || replace(source, '_', ''), '')
      || CASE WHEN failure_signature IS NULL THEN '' ELSE ' ' || char(57344) || 'g' || hex(failure_signature) END
  ) VIRTUAL,
  CHECK (created_at = ord / 4096),
  CHECK (pinned IN (0, 1))
) STRICT;
CREATE INDEX traces_by_created ON traces (org_id, ord);
CREATE INDEX traces_by_status ON traces (org_id, status, ord);
CREATE INDEX traces_by_scenario ON traces (org_id, scenario_id, ord);
CREATE INDEX traces_by_signature ON traces (org_id, failure_signature, ord);
CREATE INDEX traces_by_source ON traces (org_id, source, ord);
CREATE INDEX traces_by_tier ON traces (org_id, tier, ord);
CREATE INDEX traces_by_pinned ON traces (org_id, pinned, ord);
CREATE INDEX traces_by_facet ON traces (org_id, facet, ord);
CREATE INDEX traces_by_scenario_facet ON traces (org_id, scenario_id, facet, ord);
CREATE INDEX traces_by_age ON traces (tier, pinned, aged_from);
CREATE INDEX traces_running ON traces (last_chunk_at) WHERE status = 'running';

-- rowid = traces.ord. With `tags` in the index, a common word with a rare filter walks the rare one. The text is kept,
-- since a pin or a move between tiers changes the tags long after the words were indexed. Prefix searches have their
-- own indexes, or they would have to merge every word with that beginning.
CREATE VIRTUAL TABLE traces_fts USING fts5 (
  tags, title, failure, console, requests, assertions, thoughts,
  columnsize = 0, prefix = '1 2 3 4 5 6 7 8 9', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER traces_fts_insert AFTER INSERT ON traces BEGIN
  INSERT INTO traces_fts (rowid, tags, title) VALUES (new.ord, new.tags, new.scenario_title);
END;
CREATE TRIGGER traces_fts_update
AFTER UPDATE OF status, source, tier, pinned, scenario_id, failure_signature ON traces
WHEN old.tags <> new.tags BEGIN
  UPDATE traces_fts SET tags = new.tags WHERE rowid = new.ord;
END;
CREATE TRIGGER traces_fts_delete AFTER DELETE ON traces BEGIN
  DELETE FROM traces_fts WHERE rowid = old.ord;
END;

-- How many traces of an org have each facet, scenario and signature, so that counting them reads no traces.
CREATE TABLE trace_counts (
  org_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('facet', 'scenario', 'signature')),
  value TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (org_id, kind, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX trace_counts_most ON trace_counts (org_id, kind, count);

CREATE TRIGGER trace_counts_insert AFTER INSERT ON traces BEGIN
  INSERT INTO trace_counts (org_id, kind, value, count)
  SELECT new.org_id, 'facet', CAST(new.facet AS TEXT), 1
  UNION ALL SELECT new.org_id, 'scenario', new.scenario_id, 1
  UNION ALL SELECT new.org_id, 'signature', new.failure_signature, 1 WHERE new.failure_signature IS NOT NULL
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER trace_counts_delete AFTER DELETE ON traces BEGIN
  UPDATE trace_counts SET count = count - 1
  WHERE org_id = old.org_id AND (kind, value) IN (
    VALUES ('facet', CAST(old.facet AS TEXT)), ('scenario', old.scenario_id), ('signature', old.failure_signature));
  DELETE FROM trace_counts WHERE org_id = old.org_id AND kind = 'signature' AND value = old.failure_signature AND count = 0;
END;
CREATE TRIGGER trace_counts_update
AFTER UPDATE OF status, source, tier, pinned, scenario_id, failure_signature ON traces
WHEN old.tags <> new.tags BEGIN
  UPDATE trace_counts SET count = count - 1
  WHERE org_id = old.org_id AND (kind, value) IN (
    VALUES ('facet', CAST(old.facet AS TEXT)), ('scenario', old.scenario_id), ('signature', old.failure_signature));
  INSERT INTO trace_counts (org_id, kind, value, count)
  SELECT new.org_id, 'facet', CAST(new.facet AS TEXT), 1
  UNION ALL SELECT new.org_id, 'scenario', new.scenario_id, 1
  UNION ALL SELECT new.org_id, 'signature', new.failure_signature, 1 WHERE new.failure_signature IS NOT NULL
  ON CONFLICT DO UPDATE SET count = count + 1;
  DELETE FROM trace_counts WHERE org_id = old.org_id AND kind = 'signature' AND value = old.failure_signature AND count = 0;
END;

-- Files of a trace, relative to the data folder (or to the cold folder when `tier` is cold).
CREATE TABLE artifacts (
  trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  -- Set when the file is a member of a warm pack instead of a loose file.
  pack_offset INTEGER,
  pack_stored_size INTEGER,
  pack_method INTEGER,
  PRIMARY KEY (trace_id, kind)
) STRICT, WITHOUT ROWID;

-- Where the bytes of a hash lie: container '' is the loose file of that hash, else an archive that a trace keeps.
-- A hash may lie in several places; any of them will do.
CREATE TABLE blob_locations (
  hash TEXT NOT NULL,
  container TEXT NOT NULL,
  offset INTEGER NOT NULL DEFAULT 0,
  stored_size INTEGER NOT NULL,
  size INTEGER NOT NULL,
  method INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (hash, container)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_locations_by_container ON blob_locations (container, hash);

-- Which trace names which hash. `media_type` is what the trace says it is. A row may exist without a location
-- (the upload did not bring the bytes): such a blob is 404.
CREATE TABLE trace_blobs (
  trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  media_type TEXT,
  PRIMARY KEY (trace_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX trace_blobs_by_hash ON trace_blobs (hash);

-- Loose blobs that lost their last reference, and since when: the collector's list.
CREATE TABLE orphan_blobs (
  hash TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE share_views (
  id TEXT PRIMARY KEY,
  trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  ip TEXT,
  user_agent TEXT
) STRICT;
CREATE INDEX share_views_by_trace ON share_views (trace_id, at);

CREATE TABLE idempotency_keys (
  org_id TEXT NOT NULL REFERENCES orgs (id),
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  response TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, key)
) STRICT, WITHOUT ROWID;

-- `visible_at` is both "run at" and "lease until": a crashed worker's job comes back by itself.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  dedupe_key TEXT,
  payload TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL DEFAULT 3,
  visible_at INTEGER NOT NULL,
  lease_token TEXT,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX jobs_claimable ON jobs (visible_at, id) WHERE state IN ('queued', 'running');
CREATE UNIQUE INDEX jobs_deduped ON jobs (kind, dedupe_key) WHERE state IN ('queued', 'running') AND dedupe_key IS NOT NULL;
CREATE INDEX jobs_by_kind ON jobs (kind, state);
