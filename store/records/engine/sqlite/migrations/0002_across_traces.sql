-- Which try of a run a trace is, from 1; traces with the run's id and without a number are told apart by their order.
ALTER TABLE traces ADD COLUMN attempt INTEGER;
CREATE INDEX traces_by_run ON traces (org_id, scenario_id, run_id, ord) WHERE run_id IS NOT NULL;

-- Replays are left out of all three: they say what an edit does, not how the scenario fares.

-- The failures of a period, grouped without reading a row.
CREATE INDEX traces_failures ON traces (org_id, ord, failure_signature, scenario_id, source, status, parent_trace_id)
WHERE failure_signature IS NOT NULL AND status IN ('failed', 'error') AND parent_trace_id IS NULL;
-- The last finished traces of a scenario.
CREATE INDEX traces_history ON traces (org_id, scenario_id, ord, status, parent_trace_id)
WHERE status IN ('passed', 'failed', 'error', 'aborted') AND parent_trace_id IS NULL;
-- The last pass of a scenario, and the first failure after it.
CREATE INDEX traces_verdicts ON traces (org_id, scenario_id, status, ord)
WHERE status IN ('passed', 'failed') AND parent_trace_id IS NULL;
