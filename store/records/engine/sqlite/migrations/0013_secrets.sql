-- Secrets of an org that came in over the API. The value stands in `sealed` only, encrypted (server/identity/secrets/vault.ts).
CREATE TABLE secrets (
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  sealed BLOB NOT NULL,
  -- JSON array; null for a secret that may go anywhere.
  origins TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, name)
) STRICT, WITHOUT ROWID;

-- A key that carried every scope there was carries every scope there is: the first keys, and those made to be like them.
UPDATE api_keys SET scopes = json_insert(scopes, '$[#]', 'secrets:manage') WHERE json_array_length(scopes) = 26;
