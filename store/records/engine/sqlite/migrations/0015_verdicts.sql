-- How a run or a replay ended, while its trace has not got its last word: both become final at once.
-- JSON: the columns that it changes; null when there is none, or when it has been written down.
ALTER TABLE runs ADD COLUMN verdict TEXT;
ALTER TABLE replays ADD COLUMN verdict TEXT;
-- What was sent again to the target when a replay went live, and what was left out. JSON: `CaughtUp`.
ALTER TABLE replays ADD COLUMN caught_up TEXT;
CREATE INDEX IF NOT EXISTS replays_by_result ON replays (replay_trace_id) WHERE replay_trace_id IS NOT NULL;
