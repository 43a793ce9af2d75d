-- How many traces of an org are alike in all that a filter asks of an index, so that counting them within others reads no
-- traces. Without a failure the signature is empty.
CREATE TABLE alike_traces (
  org_id TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  facet INTEGER NOT NULL,
  signature TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (org_id, scenario_id, facet, signature)
) STRICT, WITHOUT ROWID;

-- The newest of them.
CREATE INDEX traces_alike ON traces (org_id, failure_signature, scenario_id, facet, ord)
WHERE failure_signature IS NOT NULL;

INSERT INTO alike_traces (org_id, scenario_id, facet, signature, count)
SELECT org_id, scenario_id, facet, coalesce(failure_signature, ''), count(*)
FROM traces GROUP BY org_id, scenario_id, facet, coalesce(failure_signature, '');

CREATE TRIGGER alike_traces_insert AFTER INSERT ON traces BEGIN
  INSERT INTO alike_traces (org_id, scenario_id, facet, signature, count)
  VALUES (new.org_id, new.scenario_id, new.facet, coalesce(new.failure_signature, ''), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER alike_traces_delete AFTER DELETE ON traces BEGIN
  UPDATE alike_traces SET count = count - 1
  WHERE org_id = old.org_id AND scenario_id = old.scenario_id AND facet = old.facet
    AND signature = coalesce(old.failure_signature, '');
  DELETE FROM alike_traces
  WHERE org_id = old.org_id AND scenario_id = old.scenario_id AND facet = old.facet
    AND signature = coalesce(old.failure_signature, '') AND count = 0;
END;
CREATE TRIGGER alike_traces_update
AFTER UPDATE OF status, source, tier, pinned, scenario_id, failure_signature ON traces
WHEN old.tags <> new.tags BEGIN
  UPDATE alike_traces SET count = count - 1
  WHERE org_id = old.org_id AND scenario_id = old.scenario_id AND facet = old.facet
    AND signature = coalesce(old.failure_signature, '');
  DELETE FROM alike_traces
  WHERE org_id = old.org_id AND scenario_id = old.scenario_id AND facet = old.facet
    AND signature = coalesce(old.failure_signature, '') AND count = 0;
  INSERT INTO alike_traces (org_id, scenario_id, facet, signature, count)
  VALUES (new.org_id, new.scenario_id, new.facet, coalesce(new.failure_signature, ''), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
