-- When whoever holds the account has shown to get what is sent to its address. Null where nobody has, and after a directory has changed the
-- address: then what gets into the account may be a stranger's. Of the accounts of before, those that belong to the first org alone were made by
-- nobody else; the others show it at their next sign-in by mail or by a provider.
ALTER TABLE users ADD COLUMN email_confirmed_at INTEGER;
UPDATE users SET email_confirmed_at = created_at WHERE id IN (
  SELECT user_id FROM memberships GROUP BY user_id
  HAVING count(*) = 1 AND min(org_id) = (SELECT id FROM orgs ORDER BY created_at, id LIMIT 1)
);

-- Which role in the mail's org its link gives to whoever follows it; null where it gives none.
ALTER TABLE mails ADD COLUMN role TEXT CHECK (role IN ('owner', 'admin', 'member', 'billing'));
