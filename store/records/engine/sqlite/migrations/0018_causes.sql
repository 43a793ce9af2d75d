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

-- The record beside the trace's files has the cause too.
CREATE TRIGGER trace_records_due_cause AFTER INSERT ON causes BEGIN
  INSERT INTO trace_records_due (trace_id) SELECT id FROM traces WHERE id = new.trace_id AND status <> 'running'
  ON CONFLICT DO UPDATE SET changes = changes + 1;
END;
CREATE TRIGGER trace_records_due_cause_update AFTER UPDATE ON causes BEGIN
  INSERT INTO trace_records_due (trace_id) SELECT id FROM traces WHERE id = new.trace_id AND status <> 'running'
  ON CONFLICT DO UPDATE SET changes = changes + 1;
END;
