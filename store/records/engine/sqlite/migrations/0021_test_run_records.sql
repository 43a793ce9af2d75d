-- Test runs whose record, in the folder of test runs, is behind these records; whoever writes the file takes the row away again,
-- unless `changes` has grown meanwhile. That of a run that is gone goes.
CREATE TABLE test_run_records_due (
  test_run_id TEXT PRIMARY KEY,
  changes INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
INSERT INTO test_run_records_due (test_run_id) SELECT id FROM test_runs;
