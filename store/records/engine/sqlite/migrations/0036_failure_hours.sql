-- Failures of an org by the hour (since 1970) of their traces, so that grouping those of a long period reads few rows. They are those of
-- the index `traces_failures`. Without a source it is empty.
CREATE TABLE failure_hours (
  org_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  signature TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  source TEXT NOT NULL,
  count INTEGER NOT NULL,
  -- `ord` of the newest of them.
  last_ord INTEGER NOT NULL,
  PRIMARY KEY (org_id, hour, signature, scenario_id, source)
) STRICT, WITHOUT ROWID;

INSERT INTO failure_hours (org_id, hour, signature, scenario_id, source, count, last_ord)
SELECT org_id, created_at / 3600000, failure_signature, scenario_id, coalesce(source, ''), count(*), max(ord) FROM traces
WHERE failure_signature IS NOT NULL AND status IN ('failed', 'error') AND parent_trace_id IS NULL
GROUP BY org_id, created_at / 3600000, failure_signature, scenario_id, coalesce(source, '');

CREATE TRIGGER failure_hours_insert AFTER INSERT ON traces
WHEN new.failure_signature IS NOT NULL AND new.status IN ('failed', 'error') AND new.parent_trace_id IS NULL BEGIN
  INSERT INTO failure_hours (org_id, hour, signature, scenario_id, source, count, last_ord)
  VALUES (new.org_id, new.created_at / 3600000, new.failure_signature, new.scenario_id, coalesce(new.source, ''), 1, new.ord)
  ON CONFLICT DO UPDATE SET count = failure_hours.count + 1,
    last_ord = CASE WHEN excluded.last_ord > failure_hours.last_ord THEN excluded.last_ord ELSE failure_hours.last_ord END;
END;
CREATE TRIGGER failure_hours_delete AFTER DELETE ON traces
WHEN old.failure_signature IS NOT NULL AND old.status IN ('failed', 'error') AND old.parent_trace_id IS NULL BEGIN
  UPDATE failure_hours SET count = count - 1,
    last_ord = CASE WHEN last_ord <> old.ord THEN last_ord ELSE coalesce((
      SELECT max(t.ord) FROM traces t WHERE t.org_id = old.org_id AND t.failure_signature = old.failure_signature
        AND t.scenario_id = old.scenario_id AND coalesce(t.source, '') = coalesce(old.source, '')
        AND t.ord >= (old.created_at / 3600000) * 3600000 * 4096 AND t.ord < old.ord
        AND t.status IN ('failed', 'error') AND t.parent_trace_id IS NULL), 0) END
  WHERE org_id = old.org_id AND hour = old.created_at / 3600000 AND signature = old.failure_signature
    AND scenario_id = old.scenario_id AND source = coalesce(old.source, '');
  DELETE FROM failure_hours
  WHERE org_id = old.org_id AND hour = old.created_at / 3600000 AND signature = old.failure_signature
    AND scenario_id = old.scenario_id AND source = coalesce(old.source, '') AND count = 0;
END;
CREATE TRIGGER failure_hours_update
AFTER UPDATE OF status, source, scenario_id, failure_signature, parent_trace_id ON traces
WHEN old.status <> new.status OR old.scenario_id <> new.scenario_id OR coalesce(old.source, '') <> coalesce(new.source, '')
  OR coalesce(old.failure_signature, '') <> coalesce(new.failure_signature, '')
  OR coalesce(old.parent_trace_id, '') <> coalesce(new.parent_trace_id, '') BEGIN
  UPDATE failure_hours SET count = count - 1,
    last_ord = CASE WHEN last_ord <> old.ord THEN last_ord ELSE coalesce((
      SELECT max(t.ord) FROM traces t WHERE t.org_id = old.org_id AND t.failure_signature = old.failure_signature
        AND t.scenario_id = old.scenario_id AND coalesce(t.source, '') = coalesce(old.source, '')
        AND t.ord >= (old.created_at / 3600000) * 3600000 * 4096 AND t.ord < old.ord
        AND t.status IN ('failed', 'error') AND t.parent_trace_id IS NULL), 0) END
  WHERE old.failure_signature IS NOT NULL AND old.status IN ('failed', 'error') AND old.parent_trace_id IS NULL
    AND org_id = old.org_id AND hour = old.created_at / 3600000 AND signature = old.failure_signature
    AND scenario_id = old.scenario_id AND source = coalesce(old.source, '');
  DELETE FROM failure_hours
  WHERE org_id = old.org_id AND hour = old.created_at / 3600000 AND signature = old.failure_signature
    AND scenario_id = old.scenario_id AND source = coalesce(old.source, '') AND count = 0;
  INSERT INTO failure_hours (org_id, hour, signature, scenario_id, source, count, last_ord)
  SELECT new.org_id, new.created_at / 3600000, new.failure_signature, new.scenario_id, coalesce(new.source, ''), 1, new.ord
  WHERE new.failure_signature IS NOT NULL AND new.status IN ('failed', 'error') AND new.parent_trace_id IS NULL
  ON CONFLICT DO UPDATE SET count = failure_hours.count + 1,
    last_ord = CASE WHEN excluded.last_ord > failure_hours.last_ord THEN excluded.last_ord ELSE failure_hours.last_ord END;
END;
