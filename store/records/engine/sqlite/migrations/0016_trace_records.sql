-- Traces whose record.json, in their folder, is behind these records; whoever writes the file takes the row away again,
-- unless `changes` has grown meanwhile. Counters of a running trace are left out: they change with every chunk.
CREATE TABLE trace_records_due (
  trace_id TEXT PRIMARY KEY,
  changes INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
INSERT INTO trace_records_due (trace_id) SELECT id FROM traces;

CREATE TRIGGER trace_records_due_insert AFTER INSERT ON traces BEGIN
  INSERT INTO trace_records_due (trace_id) VALUES (new.id) ON CONFLICT DO UPDATE SET changes = changes + 1;
END;
CREATE TRIGGER trace_records_due_update AFTER UPDATE ON traces
WHEN new.status <> 'running' OR old.status <> 'running' BEGIN
  INSERT INTO trace_records_due (trace_id) VALUES (new.id) ON CONFLICT DO UPDATE SET changes = changes + 1;
END;
CREATE TRIGGER trace_records_due_delete AFTER DELETE ON traces BEGIN
  DELETE FROM trace_records_due WHERE trace_id = old.id;
END;
CREATE TRIGGER trace_records_due_artifact AFTER INSERT ON artifacts BEGIN
  INSERT INTO trace_records_due (trace_id) SELECT id FROM traces WHERE id = new.trace_id AND status <> 'running'
  ON CONFLICT DO UPDATE SET changes = changes + 1;
END;
CREATE TRIGGER trace_records_due_artifact_update AFTER UPDATE ON artifacts BEGIN
  INSERT INTO trace_records_due (trace_id) SELECT id FROM traces WHERE id = new.trace_id AND status <> 'running'
  ON CONFLICT DO UPDATE SET changes = changes + 1;
END;
