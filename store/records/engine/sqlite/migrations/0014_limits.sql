-- What the chunks of a running trace were, so that one that comes again is told from another under its number.
CREATE TABLE trace_chunks (
  trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (trace_id, n)
) STRICT, WITHOUT ROWID;
