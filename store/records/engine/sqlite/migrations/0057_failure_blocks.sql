-- Failures of an org by the blocks of time in which they fell, in the place of hours alone: few of them cover any period. They are those of
-- the index `traces_failures`. A block is counted since 1970 in its own width; each width divides the next one. Without a source it is empty.
DROP TRIGGER failure_hours_insert;
DROP TRIGGER failure_hours_delete;
DROP TRIGGER failure_hours_update;
DROP TABLE failure_hours;

CREATE TABLE failure_blocks (
  org_id TEXT NOT NULL,
  -- The block's width: 10, 60, 180, 360 or 1440.
  minutes INTEGER NOT NULL,
  block INTEGER NOT NULL,
  signature TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  source TEXT NOT NULL,
  count INTEGER NOT NULL,
  -- `ord` of the newest of them.
  last_ord INTEGER NOT NULL,
  PRIMARY KEY (org_id, minutes, block, signature, scenario_id, source)
) STRICT, WITHOUT ROWID;

INSERT INTO failure_blocks (org_id, minutes, block, signature, scenario_id, source, count, last_ord)
SELECT org_id, 10, created_at / 600000, failure_signature, scenario_id, coalesce(source, ''), count(*), max(ord) FROM traces
WHERE failure_signature IS NOT NULL AND status IN ('failed', 'error') AND parent_trace_id IS NULL
GROUP BY org_id, created_at / 600000, failure_signature, scenario_id, coalesce(source, '');
INSERT INTO failure_blocks (org_id, minutes, block, signature, scenario_id, source, count, last_ord)
SELECT org_id, column1, block * 10 / column1, signature, scenario_id, source, sum(count), max(last_ord)
FROM failure_blocks JOIN (VALUES (60), (180), (360), (1440)) AS wider WHERE minutes = 10
GROUP BY org_id, column1, block * 10 / column1, signature, scenario_id, source;

CREATE TRIGGER failure_blocks_insert AFTER INSERT ON traces
WHEN new.failure_signature IS NOT NULL AND new.status IN ('failed', 'error') AND new.parent_trace_id IS NULL BEGIN
  INSERT INTO failure_blocks (org_id, minutes, block, signature, scenario_id, source, count, last_ord)
  SELECT new.org_id, column1, column2, new.failure_signature, new.scenario_id, coalesce(new.source, ''), 1, new.ord
  FROM (VALUES (10, new.created_at / 600000), (60, new.created_at / 3600000), (180, new.created_at / 10800000), (360, new.created_at / 21600000), (1440, new.created_at / 86400000)) AS blocks
  WHERE true
  ON CONFLICT DO UPDATE SET count = failure_blocks.count + 1,
    last_ord = CASE WHEN excluded.last_ord > failure_blocks.last_ord THEN excluded.last_ord ELSE failure_blocks.last_ord END;
END;
CREATE TRIGGER failure_blocks_delete AFTER DELETE ON traces
WHEN old.failure_signature IS NOT NULL AND old.status IN ('failed', 'error') AND old.parent_trace_id IS NULL BEGIN
  UPDATE failure_blocks SET count = count - 1,
    last_ord = CASE WHEN last_ord <> old.ord THEN last_ord ELSE coalesce((
      SELECT max(t.ord) FROM traces t WHERE t.org_id = old.org_id AND t.failure_signature = old.failure_signature
        AND t.scenario_id = old.scenario_id AND coalesce(t.source, '') = coalesce(old.source, '')
        AND t.ord >= block * minutes * 60000 * 4096 AND t.ord < old.ord
        AND t.status IN ('failed', 'error') AND t.parent_trace_id IS NULL), 0) END
  WHERE org_id = old.org_id
    AND (minutes, block) IN (VALUES (10, old.created_at / 600000), (60, old.created_at / 3600000), (180, old.created_at / 10800000), (360, old.created_at / 21600000), (1440, old.created_at / 86400000))
    AND signature = old.failure_signature AND scenario_id = old.scenario_id AND source = coalesce(old.source, '');
  DELETE FROM failure_blocks
  WHERE org_id = old.org_id
    AND (minutes, block) IN (VALUES (10, old.created_at / 600000), (60, old.created_at / 3600000), (180, old.created_at / 10800000), (360, old.created_at / 21600000), (1440, old.created_at / 86400000))
    AND signature = old.failure_signature AND scenario_id = old.scenario_id AND source = coalesce(old.source, '') AND count = 0;
END;
CREATE TRIGGER failure_blocks_update
AFTER UPDATE OF status, source, scenario_id, failure_signature, parent_trace_id ON traces
WHEN old.status <> new.status OR old.scenario_id <> new.scenario_id OR coalesce(old.source, '') <> coalesce(new.source, '')
  OR coalesce(old.failure_signature, '') <> coalesce(new.failure_signature, '')
  OR coalesce(old.parent_trace_id, '') <> coalesce(new.parent_trace_id, '') BEGIN
  UPDATE failure_blocks SET count = count - 1,
    last_ord = CASE WHEN last_ord <> old.ord THEN last_ord ELSE coalesce((
      SELECT max(t.ord) FROM traces t WHERE t.org_id = old.org_id AND t.failure_signature = old.failure_signature
        AND t.scenario_id = old.scenario_id AND coalesce(t.source, '') = coalesce(old.source, '')
        AND t.ord >= block * minutes * 60000 * 4096 AND t.ord < old.ord
        AND t.status IN ('failed', 'error') AND t.parent_trace_id IS NULL), 0) END
  WHERE old.failure_signature IS NOT NULL AND old.status IN ('failed', 'error') AND old.parent_trace_id IS NULL
    AND org_id = old.org_id
    AND (minutes, block) IN (VALUES (10, old.created_at / 600000), (60, old.created_at / 3600000), (180, old.created_at / 10800000), (360, old.created_at / 21600000), (1440, old.created_at / 86400000))
    AND signature = old.failure_signature AND scenario_id = old.scenario_id AND source = coalesce(old.source, '');
  DELETE FROM failure_blocks
  WHERE old.failure_signature IS NOT NULL AND old.status IN ('failed', 'error') AND old.parent_trace_id IS NULL
    AND org_id = old.org_id
    AND (minutes, block) IN (VALUES (10, old.created_at / 600000), (60, old.created_at / 3600000), (180, old.created_at / 10800000), (360, old.created_at / 21600000), (1440, old.created_at / 86400000))
    AND signature = old.failure_signature AND scenario_id = old.scenario_id AND source = coalesce(old.source, '') AND count = 0;
  INSERT INTO failure_blocks (org_id, minutes, block, signature, scenario_id, source, count, last_ord)
  SELECT new.org_id, column1, column2, new.failure_signature, new.scenario_id, coalesce(new.source, ''), 1, new.ord
  FROM (VALUES (10, new.created_at / 600000), (60, new.created_at / 3600000), (180, new.created_at / 10800000), (360, new.created_at / 21600000), (1440, new.created_at / 86400000)) AS blocks
  WHERE new.failure_signature IS NOT NULL AND new.status IN ('failed', 'error') AND new.parent_trace_id IS NULL
  ON CONFLICT DO UPDATE SET count = failure_blocks.count + 1,
    last_ord = CASE WHEN excluded.last_ord > failure_blocks.last_ord THEN excluded.last_ord ELSE failure_blocks.last_ord END;
END;
