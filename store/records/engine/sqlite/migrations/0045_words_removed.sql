-- How many traces have left the full-text index since its old words were last cleared out: FTS5 keeps the words of a removed row, and a
-- mark that it is gone, until it happens to merge both, which on a large index is weeks later.
CREATE TABLE words_removed (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  traces INTEGER NOT NULL
) STRICT;
INSERT INTO words_removed (id, traces) SELECT 1, coalesce(max(ord), 0) - count(*) FROM traces;

DROP TRIGGER traces_fts_delete;
CREATE TRIGGER traces_fts_delete AFTER DELETE ON traces BEGIN
  DELETE FROM traces_fts WHERE rowid = old.ord;
  UPDATE words_removed SET traces = traces + 1;
END;
