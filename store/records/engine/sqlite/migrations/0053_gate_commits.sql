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

-- Whether code of strangers (a fork's) made the trace: what it shows is compared with nothing, also when its run is gone.
ALTER TABLE traces ADD COLUMN by_strangers INTEGER NOT NULL DEFAULT 0 CHECK (by_strangers IN (0, 1));
UPDATE traces SET by_strangers = 1
WHERE id IN (SELECT trace_id FROM runs WHERE type = 'pr' AND plan LIKE '%"is_untrusted":true%');
