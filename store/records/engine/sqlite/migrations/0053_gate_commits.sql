-- When the pull request got the commit, as whoever asks for the gate says: a report of an older commit may come late. Null where nobody says.
ALTER TABLE gates ADD COLUMN head_at INTEGER;

-- HARs of commits that gates judge, each text once: the clones of their scenarios answer from them.
CREATE TABLE commit_recordings (
  hash TEXT PRIMARY KEY,
  -- zstd
  har BLOB NOT NULL,
  used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX commit_recordings_used ON commit_recordings (used_at);
