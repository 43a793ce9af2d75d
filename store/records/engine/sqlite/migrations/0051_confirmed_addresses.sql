-- When whoever holds the account has shown to get what is sent to its address. Null where nobody has, and after a directory has changed the
-- address: then what gets into the account may be a stranger's. Accounts of before show it at their next sign-in by mail or by a provider.
ALTER TABLE users ADD COLUMN email_confirmed_at INTEGER;

-- Which role in the mail's org its link gives to whoever follows it; null where it gives none.
ALTER TABLE mails ADD COLUMN role TEXT CHECK (role IN ('owner', 'admin', 'member', 'billing'));
