-- Since when runs fail: when the first rule about failures fired. Null while an incident is about slow runs or drift alone.
ALTER TABLE incidents ADD COLUMN failing_at INTEGER;
UPDATE incidents SET failing_at = opened_at WHERE severity <> 'warning';
