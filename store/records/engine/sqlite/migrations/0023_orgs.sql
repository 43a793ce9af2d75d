-- When an org was deleted: from then on nobody gets in, and the row goes last, when nothing refers to it any more.
ALTER TABLE orgs ADD COLUMN deleted_at INTEGER;

-- Who was asked to join an org. `hash` is the SHA-256 hex of the token in the link; addresses are in lower case.
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'billing')),
  hash TEXT NOT NULL UNIQUE,
  invited_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (org_id, email)
) STRICT;

-- What was done in an org is evidence that outlives it.
CREATE TABLE audit_events_kept (
  seq INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
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
INSERT INTO audit_events_kept SELECT seq, org_id, at, actor_type, actor_id, action, target, ip, detail, prev_hash, hash FROM audit_events;
DROP TABLE audit_events;
ALTER TABLE audit_events_kept RENAME TO audit_events;
CREATE INDEX audit_events_by_org ON audit_events (org_id, seq);
CREATE UNIQUE INDEX audit_events_chain ON audit_events (org_id, prev_hash);

-- A key that carried every scope there was carries every scope there is.
UPDATE api_keys SET scopes = json_insert(scopes, '$[#]', 'members:manage') WHERE json_array_length(scopes) >= 27;
