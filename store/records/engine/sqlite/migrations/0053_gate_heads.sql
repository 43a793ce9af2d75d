-- When the pull request got the commit, as whoever asks for the gate says: a report of an older commit may come late. Null where nobody says.
ALTER TABLE gates ADD COLUMN head_at INTEGER;
