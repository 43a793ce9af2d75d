-- How often a share was opened is a number of its own, so that only the latest openings are kept.
CREATE TABLE share_totals (
  trace_id TEXT PRIMARY KEY REFERENCES traces (id) ON DELETE CASCADE,
  views INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO share_totals SELECT trace_id, count(*), max(at) FROM share_views GROUP BY trace_id;

ALTER TABLE share_views ADD COLUMN is_embedded INTEGER NOT NULL DEFAULT 0;
CREATE INDEX share_views_by_age ON share_views (at);
DELETE FROM share_views WHERE id IN (
  SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY trace_id ORDER BY at DESC, id DESC) AS place FROM share_views)
  WHERE place > 100
);
