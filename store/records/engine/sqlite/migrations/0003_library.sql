-- What the list filters by besides `tags`: pull request, commit and region, as words of the full-text index.
ALTER TABLE traces ADD COLUMN more_tags TEXT GENERATED ALWAYS AS (
  coalesce(' ' || char(57344) || 'n' || pr_number, '')
    || CASE WHEN code_sha IS NULL THEN '' ELSE ' ' || char(57344) || 'h' || hex(lower(code_sha)) END
    || CASE WHEN region IS NULL THEN '' ELSE ' ' || char(57344) || 'l' || hex(lower(region)) END
) VIRTUAL;
-- 1 when titles of steps and kinds of events are in the full-text index; those of older traces are added by a task.
ALTER TABLE traces ADD COLUMN search_version INTEGER NOT NULL DEFAULT 0;
CREATE INDEX traces_to_index ON traces (ord) WHERE search_version = 0 AND status NOT IN ('queued', 'running');

-- As before, with two more columns: titles of steps, and the kinds of events as tags.
CREATE VIRTUAL TABLE traces_words USING fts5 (
  tags, title, failure, console, requests, assertions, thoughts, steps, kinds,
  columnsize = 0, prefix = '1 2 3 4 5 6 7 8 9', tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO traces_words (rowid, tags, title, failure, console, requests, assertions, thoughts)
SELECT f.rowid, t.tags || t.more_tags, f.title, f.failure, f.console, f.requests, f.assertions, f.thoughts
FROM traces_fts f JOIN traces t ON t.ord = f.rowid ORDER BY f.rowid;
DROP TRIGGER traces_fts_insert;
DROP TRIGGER traces_fts_update;
DROP TRIGGER traces_fts_delete;
DROP TABLE traces_fts;
ALTER TABLE traces_words RENAME TO traces_fts;

CREATE TRIGGER traces_fts_insert AFTER INSERT ON traces BEGIN
  INSERT INTO traces_fts (rowid, tags, title) VALUES (new.ord, new.tags || new.more_tags, new.scenario_title);
END;
CREATE TRIGGER traces_fts_update
AFTER UPDATE OF status, source, tier, pinned, scenario_id, failure_signature, pr_number, code_sha, region ON traces
WHEN old.tags <> new.tags OR old.more_tags <> new.more_tags BEGIN
  UPDATE traces_fts SET tags = new.tags || new.more_tags WHERE rowid = new.ord;
END;

CREATE TRIGGER traces_fts_delete AFTER DELETE ON traces BEGIN
  DELETE FROM traces_fts WHERE rowid = old.ord;
END;

CREATE TABLE saved_searches (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- As it is typed into the list's search field.
  query TEXT NOT NULL,
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (org_id, name)
) STRICT;
CREATE INDEX saved_searches_in_order ON saved_searches (org_id, position, id);

-- Bytes and number of what an org keeps, so that counting them reads no traces. Loose blobs belong to no org: ''.
CREATE TABLE storage_totals (
  org_id TEXT NOT NULL,
  -- tier: `hot` or, when pinned, `hot pinned`; day: days since 1970 on which the traces were made.
  kind TEXT NOT NULL CHECK (kind IN ('tier', 'scenario', 'day', 'artifact', 'blobs')),
  value TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (org_id, kind, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX storage_totals_most ON storage_totals (org_id, kind, bytes);

INSERT INTO storage_totals
SELECT org_id, 'tier', tier || CASE pinned WHEN 1 THEN ' pinned' ELSE '' END, sum(total_size_bytes), count(*)
FROM traces GROUP BY org_id, tier, pinned;
INSERT INTO storage_totals
SELECT org_id, 'scenario', scenario_id, sum(total_size_bytes), count(*) FROM traces GROUP BY org_id, scenario_id;
INSERT INTO storage_totals
SELECT org_id, 'day', CAST(created_at / 86400000 AS TEXT), sum(total_size_bytes), count(*)
FROM traces GROUP BY org_id, created_at / 86400000;
INSERT INTO storage_totals
SELECT t.org_id, 'artifact', a.kind, sum(a.size), count(*)
FROM artifacts a JOIN traces t ON t.id = a.trace_id WHERE a.pack_offset IS NULL GROUP BY t.org_id, a.kind;
INSERT INTO storage_totals
SELECT '', 'blobs', '', coalesce(sum(stored_size), 0), count(*) FROM blob_locations WHERE container = '';

CREATE TRIGGER storage_totals_insert AFTER INSERT ON traces BEGIN
  INSERT INTO storage_totals (org_id, kind, value, bytes, count) VALUES
    (new.org_id, 'tier', new.tier || CASE new.pinned WHEN 1 THEN ' pinned' ELSE '' END, new.total_size_bytes, 1),
    (new.org_id, 'scenario', new.scenario_id, new.total_size_bytes, 1),
    (new.org_id, 'day', CAST(new.created_at / 86400000 AS TEXT), new.total_size_bytes, 1)
  ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes, count = count + 1;
END;
CREATE TRIGGER storage_totals_update
AFTER UPDATE OF tier, pinned, scenario_id, total_size_bytes ON traces
WHEN old.tier <> new.tier OR old.pinned <> new.pinned OR old.scenario_id <> new.scenario_id
  OR old.total_size_bytes <> new.total_size_bytes BEGIN
  UPDATE storage_totals SET bytes = bytes - old.total_size_bytes, count = count - 1
  WHERE org_id = old.org_id AND (kind, value) IN (VALUES
    ('tier', old.tier || CASE old.pinned WHEN 1 THEN ' pinned' ELSE '' END),
    ('scenario', old.scenario_id), ('day', CAST(old.created_at / 86400000 AS TEXT)));
  INSERT INTO storage_totals (org_id, kind, value, bytes, count) VALUES
    (new.org_id, 'tier', new.tier || CASE new.pinned WHEN 1 THEN ' pinned' ELSE '' END, new.total_size_bytes, 1),
    (new.org_id, 'scenario', new.scenario_id, new.total_size_bytes, 1),
    (new.org_id, 'day', CAST(new.created_at / 86400000 AS TEXT), new.total_size_bytes, 1)
  ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes, count = count + 1;
END;
-- Artifacts go first, while it is still known whose they are.
CREATE TRIGGER storage_totals_delete BEFORE DELETE ON traces BEGIN
  DELETE FROM artifacts WHERE trace_id = old.id;
  UPDATE storage_totals SET bytes = bytes - old.total_size_bytes, count = count - 1
  WHERE org_id = old.org_id AND (kind, value) IN (VALUES
    ('tier', old.tier || CASE old.pinned WHEN 1 THEN ' pinned' ELSE '' END),
    ('scenario', old.scenario_id), ('day', CAST(old.created_at / 86400000 AS TEXT)));
END;

-- A member of a pack counts as nothing: the pack counts for it.
CREATE TRIGGER storage_artifacts_insert AFTER INSERT ON artifacts WHEN new.pack_offset IS NULL BEGIN
  INSERT INTO storage_totals (org_id, kind, value, bytes, count)
  SELECT org_id, 'artifact', new.kind, new.size, 1 FROM traces WHERE id = new.trace_id
  ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes, count = count + 1;
END;
CREATE TRIGGER storage_artifacts_delete AFTER DELETE ON artifacts WHEN old.pack_offset IS NULL BEGIN
  UPDATE storage_totals SET bytes = bytes - old.size, count = count - 1
  WHERE org_id = (SELECT org_id FROM traces WHERE id = old.trace_id) AND kind = 'artifact' AND value = old.kind;
END;
CREATE TRIGGER storage_artifacts_update AFTER UPDATE OF size, pack_offset ON artifacts BEGIN
  UPDATE storage_totals SET bytes = bytes - old.size, count = count - 1
  WHERE old.pack_offset IS NULL AND org_id = (SELECT org_id FROM traces WHERE id = old.trace_id)
    AND kind = 'artifact' AND value = old.kind;
  INSERT INTO storage_totals (org_id, kind, value, bytes, count)
  SELECT org_id, 'artifact', new.kind, new.size, 1 FROM traces WHERE id = new.trace_id AND new.pack_offset IS NULL
  ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes, count = count + 1;
END;

CREATE TRIGGER storage_blobs_insert AFTER INSERT ON blob_locations WHEN new.container = '' BEGIN
  UPDATE storage_totals SET bytes = bytes + new.stored_size, count = count + 1
  WHERE org_id = '' AND kind = 'blobs' AND value = '';
END;
CREATE TRIGGER storage_blobs_delete AFTER DELETE ON blob_locations WHEN old.container = '' BEGIN
  UPDATE storage_totals SET bytes = bytes - old.stored_size, count = count - 1
  WHERE org_id = '' AND kind = 'blobs' AND value = '';
END;

-- The largest first, and what ages with its size, so that neither reads a trace that it does not show.
CREATE INDEX traces_by_bytes ON traces (org_id, total_size_bytes, ord);
CREATE INDEX traces_ageing ON traces (org_id, tier, aged_from, total_size_bytes)
WHERE pinned = 0 AND status NOT IN ('queued', 'running');
