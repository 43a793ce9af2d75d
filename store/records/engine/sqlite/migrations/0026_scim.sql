-- A directory's users of an org: what it says of them is the org's own view. `id` is what the directory knows them by,
-- the keys are lower-case, `attributes` is JSON, `folded` the same in lower case, by which filters narrow.
CREATE TABLE scim_users (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_name_key TEXT NOT NULL,
  external_id TEXT,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  is_account_made INTEGER NOT NULL CHECK (is_account_made IN (0, 1)),
  group_role TEXT,
  attributes TEXT NOT NULL,
  folded TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (org_id, user_name_key),
  UNIQUE (org_id, user_id)
) STRICT;
CREATE INDEX scim_users_by_external_id ON scim_users (org_id, external_id);
CREATE INDEX scim_users_by_age ON scim_users (org_id, created_at, id);
CREATE INDEX scim_users_by_user ON scim_users (user_id);

CREATE TABLE scim_groups (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  name_key TEXT NOT NULL,
  external_id TEXT,
  attributes TEXT NOT NULL,
  folded TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (org_id, name_key)
) STRICT;
CREATE INDEX scim_groups_by_external_id ON scim_groups (org_id, external_id);
CREATE INDEX scim_groups_by_age ON scim_groups (org_id, created_at, id);

CREATE TABLE scim_members (
  group_id TEXT NOT NULL REFERENCES scim_groups (id) ON DELETE CASCADE,
  scim_user_id TEXT NOT NULL REFERENCES scim_users (id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, scim_user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX scim_members_by_user ON scim_members (scim_user_id, group_id);

-- Which role the members of a group get; a group may be named before the directory sends it.
CREATE TABLE scim_group_roles (
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  name_key TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member', 'billing')),
  PRIMARY KEY (org_id, name_key)
) STRICT, WITHOUT ROWID;

-- Requests of a directory that were refused, for a day.
CREATE TABLE scim_errors (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX scim_errors_by_age ON scim_errors (org_id, at, id);

-- Accounts are found by their address whatever its case.
CREATE INDEX users_by_lower_email ON users (lower(email));
