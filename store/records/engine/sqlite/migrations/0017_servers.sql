-- Which server holds the lease of a job, and which one carries out a run or a replay or took it in from its sender. Null where that
-- began before servers had ids: there was one then.
ALTER TABLE jobs ADD COLUMN lease_server TEXT;
ALTER TABLE runs ADD COLUMN server_id TEXT;
ALTER TABLE replays ADD COLUMN server_id TEXT;
-- The job whose lease a run is carried out under; null for one that its sender carries out.
ALTER TABLE runs ADD COLUMN job_id TEXT;

-- When the period of a periodic job began: of several servers that add the same one, the first does.
ALTER TABLE jobs ADD COLUMN period_at INTEGER;
CREATE UNIQUE INDEX jobs_once_a_period ON jobs (kind, period_at) WHERE period_at IS NOT NULL;

-- An entry has one successor, so that the chain cannot fork.
CREATE UNIQUE INDEX audit_events_chain ON audit_events (org_id, prev_hash);

-- Who opens a shared page again on the same day (UTC) is one row, whichever server is asked. Rows of before visitors were told apart
-- by the day become one, too.
CREATE TEMP TABLE visits AS
SELECT min(id) AS id, max(at) AS at, sum(times) AS times FROM share_views
GROUP BY trace_id, at / 86400000, coalesce(ip, ''), coalesce(user_agent, ''), is_embedded;
DELETE FROM share_views WHERE id NOT IN (SELECT id FROM visits);
UPDATE share_views SET at = visits.at, times = visits.times FROM visits WHERE visits.id = share_views.id;
DROP TABLE visits;
CREATE UNIQUE INDEX share_views_once_a_day
ON share_views (trace_id, (at / 86400000), coalesce(ip, ''), coalesce(user_agent, ''), is_embedded);
