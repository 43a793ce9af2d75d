-- Test runs that go, oldest first, and what names them: every look read all there are.
CREATE INDEX test_runs_old ON test_runs (started_at, created_at) WHERE status <> 'running';
CREATE INDEX test_run_keys_of_run ON test_run_keys (test_run_id);
