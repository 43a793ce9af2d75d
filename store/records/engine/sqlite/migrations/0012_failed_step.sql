-- The title of the step that failed: failures with the same message at different steps are told apart by it.
-- Traces read before have none.
ALTER TABLE traces ADD COLUMN failed_step_title TEXT;
