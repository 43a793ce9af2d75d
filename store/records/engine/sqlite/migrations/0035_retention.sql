-- A trace that a run by the clock made goes with its run (`by_clock`), unless a person pinned it: `auto_pinned` tells the pin that a
-- failure gets by itself from one that somebody set.
ALTER TABLE traces ADD COLUMN by_clock INTEGER NOT NULL DEFAULT 0 CHECK (by_clock IN (0, 1));
ALTER TABLE traces ADD COLUMN auto_pinned INTEGER NOT NULL DEFAULT 0 CHECK (auto_pinned IN (0, 1));
UPDATE traces SET by_clock = 1 WHERE id IN (
  SELECT trace_id FROM runs WHERE trace_id IS NOT NULL AND trigger IN ('schedule', 'catch_up', 'retry')
);
UPDATE traces SET auto_pinned = 1
WHERE by_clock = 1 AND pinned = 1 AND id NOT IN (SELECT target FROM audit_events WHERE action = 'trace.pin');

-- Those that go when they are old enough, the oldest first.
CREATE INDEX traces_leaving ON traces (aged_from, ord)
WHERE by_clock = 1 AND (pinned = 0 OR auto_pinned = 1) AND status NOT IN ('queued', 'running');
-- Jobs that are done go soon, the oldest first.
CREATE INDEX jobs_done ON jobs (finished_at) WHERE state = 'done';
-- An incident keeps its trace.
CREATE INDEX incidents_by_trace ON incidents (trace_id) WHERE trace_id IS NOT NULL;
-- A baseline stays as long as the cause that names it.
CREATE INDEX causes_by_baseline ON causes (baseline_id) WHERE baseline_id IS NOT NULL;

-- What ages, by the hour from which its age counts, so that telling what moves and goes when reads no traces. `hot` and `warm` move
-- on; `clock` goes; `cold` is what of that lies in the cold folder.
CREATE TABLE ageing_totals (
  org_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('hot', 'warm', 'clock', 'cold')),
  hour INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (org_id, kind, hour)
) STRICT, WITHOUT ROWID;

INSERT INTO ageing_totals (org_id, kind, hour, bytes, count)
SELECT org_id, tier, aged_from / 3600000, sum(total_size_bytes), count(*) FROM traces
WHERE pinned = 0 AND tier <> 'cold' AND status NOT IN ('queued', 'running') GROUP BY org_id, tier, aged_from / 3600000
UNION ALL
SELECT org_id, 'clock', aged_from / 3600000, sum(total_size_bytes), count(*) FROM traces
WHERE by_clock = 1 AND (pinned = 0 OR auto_pinned = 1) AND status NOT IN ('queued', 'running')
GROUP BY org_id, aged_from / 3600000
UNION ALL
SELECT org_id, 'cold', aged_from / 3600000, sum(total_size_bytes), count(*) FROM traces
WHERE by_clock = 1 AND (pinned = 0 OR auto_pinned = 1) AND tier = 'cold' AND status NOT IN ('queued', 'running')
GROUP BY org_id, aged_from / 3600000;

CREATE TRIGGER ageing_totals_insert AFTER INSERT ON traces WHEN new.status NOT IN ('queued', 'running') BEGIN
  INSERT INTO ageing_totals (org_id, kind, hour, bytes, count)
  SELECT new.org_id, new.tier, new.aged_from / 3600000, new.total_size_bytes, 1 WHERE new.pinned = 0 AND new.tier <> 'cold'
  UNION ALL SELECT new.org_id, 'clock', new.aged_from / 3600000, new.total_size_bytes, 1
  WHERE new.by_clock = 1 AND (new.pinned = 0 OR new.auto_pinned = 1)
  UNION ALL SELECT new.org_id, 'cold', new.aged_from / 3600000, new.total_size_bytes, 1
  WHERE new.by_clock = 1 AND (new.pinned = 0 OR new.auto_pinned = 1) AND new.tier = 'cold'
  ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes, count = count + 1;
END;
CREATE TRIGGER ageing_totals_delete AFTER DELETE ON traces WHEN old.status NOT IN ('queued', 'running') BEGIN
  UPDATE ageing_totals SET bytes = bytes - old.total_size_bytes, count = count - 1
  WHERE org_id = old.org_id AND hour = old.aged_from / 3600000 AND (
    (kind IN ('hot', 'warm') AND kind = old.tier AND old.pinned = 0)
    OR (kind = 'clock' AND old.by_clock = 1 AND (old.pinned = 0 OR old.auto_pinned = 1))
    OR (kind = 'cold' AND old.by_clock = 1 AND (old.pinned = 0 OR old.auto_pinned = 1) AND old.tier = 'cold'));
  DELETE FROM ageing_totals WHERE org_id = old.org_id AND hour = old.aged_from / 3600000 AND count = 0;
END;
CREATE TRIGGER ageing_totals_update
AFTER UPDATE OF status, tier, pinned, auto_pinned, by_clock, aged_from, total_size_bytes ON traces
WHEN old.status <> new.status OR old.tier <> new.tier OR old.pinned <> new.pinned OR old.auto_pinned <> new.auto_pinned
  OR old.by_clock <> new.by_clock OR old.aged_from <> new.aged_from OR old.total_size_bytes <> new.total_size_bytes BEGIN
  UPDATE ageing_totals SET bytes = bytes - old.total_size_bytes, count = count - 1
  WHERE old.status NOT IN ('queued', 'running') AND org_id = old.org_id AND hour = old.aged_from / 3600000 AND (
    (kind IN ('hot', 'warm') AND kind = old.tier AND old.pinned = 0)
    OR (kind = 'clock' AND old.by_clock = 1 AND (old.pinned = 0 OR old.auto_pinned = 1))
    OR (kind = 'cold' AND old.by_clock = 1 AND (old.pinned = 0 OR old.auto_pinned = 1) AND old.tier = 'cold'));
  INSERT INTO ageing_totals (org_id, kind, hour, bytes, count)
  SELECT new.org_id, new.tier, new.aged_from / 3600000, new.total_size_bytes, 1
  WHERE new.status NOT IN ('queued', 'running') AND new.pinned = 0 AND new.tier <> 'cold'
  UNION ALL SELECT new.org_id, 'clock', new.aged_from / 3600000, new.total_size_bytes, 1
  WHERE new.status NOT IN ('queued', 'running') AND new.by_clock = 1 AND (new.pinned = 0 OR new.auto_pinned = 1)
  UNION ALL SELECT new.org_id, 'cold', new.aged_from / 3600000, new.total_size_bytes, 1
  WHERE new.status NOT IN ('queued', 'running') AND new.by_clock = 1 AND (new.pinned = 0 OR new.auto_pinned = 1)
    AND new.tier = 'cold'
  ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes, count = count + 1;
  DELETE FROM ageing_totals WHERE org_id = old.org_id AND hour = old.aged_from / 3600000 AND count = 0;
END;

-- What runs of checks are made from, once for all runs that are made from the same: `plan` of such a run is `@` and the hash. `used_at`
-- is when a run was last made from it, to within a few hours.
CREATE TABLE run_plans (
  hash TEXT PRIMARY KEY,
  plan TEXT NOT NULL,
  used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
