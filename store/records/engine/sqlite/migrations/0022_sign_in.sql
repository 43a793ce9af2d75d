-- Mail that the server sends, or that waits to be read where there is no mail server.
CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- JSON of text and HTML, encrypted (server/identity/secrets/vault.ts); null once it is wiped.
  sealed BLOB,
  -- Until when what it says is of use, after which the body is wiped; null for one that stays as long as the mail.
  secret_until INTEGER,
  -- Whose account a link in it opens.
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'queued', 'sent', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at INTEGER NOT NULL,
  sent_at INTEGER
) STRICT;
CREATE INDEX mails_by_org ON mails (org_id, created_at, id);
CREATE INDEX mails_by_age ON mails (created_at);
CREATE INDEX mails_by_secret ON mails (secret_until) WHERE secret_until IS NOT NULL;

-- A session has an id of its own, by which it is listed and ended. Those of before were opened with a one-time link.
CREATE TABLE sessions_with_id (
  hash TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  method TEXT NOT NULL CHECK (method IN ('link', 'password', 'magic_link', 'sso', 'code_host', 'invitation')),
  ip TEXT,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT;
INSERT INTO sessions_with_id (hash, id, user_id, org_id, method, created_at, expires_at, last_seen_at)
SELECT hash,
  lower(substr(r, 1, 8) || '-' || substr(r, 9, 4) || '-4' || substr(r, 14, 3) || '-8' || substr(r, 18, 3) || '-' || substr(r, 21, 12)),
  user_id, org_id, 'link', created_at, expires_at, last_seen_at
FROM (SELECT *, hex(randomblob(16)) AS r FROM sessions);
DROP TABLE sessions;
ALTER TABLE sessions_with_id RENAME TO sessions;
CREATE INDEX sessions_by_user ON sessions (user_id, last_seen_at);

-- Links by mail. Each proves that its holder reads mail of that address: to sign in, or to make it the user's address.
CREATE TABLE mail_links (
  hash TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('signin', 'email')),
  email TEXT NOT NULL,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  -- Null for a person of a verified domain who has not been here.
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  mail_id TEXT NOT NULL,
  -- A path of this server to go to afterwards.
  next TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX mail_links_by_expiry ON mail_links (expires_at);
CREATE INDEX mail_links_by_email ON mail_links (email, created_at);

-- Accounts at identity providers and code hosts, by what never changes of them there.
CREATE TABLE external_accounts (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX external_accounts_by_user ON external_accounts (user_id);

-- Where a user who is in several orgs gets to by signing in.
ALTER TABLE users ADD COLUMN default_org_id TEXT REFERENCES orgs (id) ON DELETE SET NULL;

-- Addresses are compared without case.
CREATE INDEX users_by_plain_email ON users (lower(email));
