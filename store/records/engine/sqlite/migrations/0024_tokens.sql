-- Who made a key or a token: a service token is nobody's, and still somebody has made it.
ALTER TABLE api_keys ADD COLUMN made_by TEXT REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX api_keys_of_user ON api_keys (user_id, org_id);

-- Agents that asked for a service token by themselves, until a person has decided.
CREATE TABLE agent_signups (
  key_id TEXT PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL,
  -- SHA-256 of the code that the agent shows to its person; null once a person has decided.
  code_hash TEXT UNIQUE,
  ip TEXT,
  status TEXT NOT NULL CHECK (status IN ('unverified', 'verified', 'refused')),
  created_at INTEGER NOT NULL,
  -- Until when a person may decide.
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT REFERENCES users (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX agent_signups_by_org ON agent_signups (org_id, status);
CREATE INDEX agent_signups_by_end ON agent_signups (status, expires_at);

-- The list of audit entries, newest first, by each of its filters.
CREATE INDEX audit_events_by_actor ON audit_events (org_id, actor_id, seq);
CREATE INDEX audit_events_by_action ON audit_events (org_id, action, seq);
CREATE INDEX audit_events_by_target ON audit_events (org_id, target, seq);
