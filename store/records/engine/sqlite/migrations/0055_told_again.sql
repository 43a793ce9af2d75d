-- A maintenance window whose beginning no clock shows could be stored, and whoever asked whether it goes on failed: nothing was told
-- of any org. Midnight at the end of a day is that of the next one; the year 0 does not come.
DELETE FROM maintenance_windows WHERE starts_at LIKE '0000-%' OR starts_at = '9999-12-31T24:00';
UPDATE maintenance_windows SET starts_at = date(substr(starts_at, 1, 10), '+1 day') || 'T00:00' WHERE starts_at LIKE '%T24:00';

-- Those whose times are put right when the clock went back.
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (created_at) WHERE state = 'pending';

-- When somebody was told that the runs of a scenario in a region cannot be made; null while nobody was.
ALTER TABLE run_errors ADD COLUMN told_at INTEGER;
