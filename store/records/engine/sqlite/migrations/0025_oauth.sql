-- Programs that ask for access in a person's name (OAuth 2.1). `client_id` is what they call themselves: their id here, or the
-- address of their metadata document.
CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  client_id TEXT NOT NULL UNIQUE,
  name TEXT,
  -- JSON array.
  redirect_uris TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  -- When the metadata document was read; null for a program that has registered itself.
  read_at INTEGER
) STRICT;
CREATE INDEX oauth_clients_by_use ON oauth_clients (used_at, id);

-- Programs for which an org asks its people no consent.
CREATE TABLE oauth_approvals (
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  approved_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, client_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_approvals_by_client ON oauth_approvals (client_id);

-- What a person has allowed a program in an org, so that the same is not asked again.
CREATE TABLE oauth_consents (
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  -- JSON array.
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, user_id, client_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_consents_by_user ON oauth_consents (user_id);
CREATE INDEX oauth_consents_by_client ON oauth_consents (client_id);

-- One consent that was carried out: its code, and the family of tokens that came of it.
CREATE TABLE oauth_grants (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  -- JSON array.
  scopes TEXT NOT NULL,
  resource TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  code_hash TEXT NOT NULL UNIQUE,
  code_challenge TEXT NOT NULL,
  code_expires_at INTEGER NOT NULL,
  code_used_at INTEGER,
  created_at INTEGER NOT NULL,
  -- Of its newest refresh token; until there is one, of its code.
  expires_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX oauth_grants_by_org ON oauth_grants (org_id, created_at, id);
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id, org_id, created_at, id);
CREATE INDEX oauth_grants_by_client ON oauth_grants (client_id);
CREATE INDEX oauth_grants_by_end ON oauth_grants (expires_at);

-- `hash` is the SHA-256 hex of the whole token. A refresh token that was used stays, so that its second use is seen.
CREATE TABLE oauth_tokens (
  hash TEXT PRIMARY KEY,
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
  -- JSON array, where it carries less than its grant.
  scopes TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_tokens_by_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (expires_at);
