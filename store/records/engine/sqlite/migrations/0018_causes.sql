-- Why a trace failed, as the engine of that number found it against the passes that there were then. Traces processed
-- before have none until somebody looks at them.
CREATE TABLE causes (
  trace_id TEXT PRIMARY KEY REFERENCES traces (id) ON DELETE CASCADE,
  engine INTEGER NOT NULL,
  baseline_id TEXT,
  headline TEXT,
  cause TEXT NOT NULL,
  made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
