-- Since when runs fail: when the first rule about failures fired. Null while an incident is about slow runs or drift alone.
ALTER TABLE incidents ADD COLUMN failing_at INTEGER;
UPDATE incidents SET failing_at = opened_at WHERE severity <> 'warning';

-- Whether it ended since no check watched it any more, and not since it works again.
ALTER TABLE incidents ADD COLUMN unwatched INTEGER NOT NULL DEFAULT 0 CHECK (unwatched IN (0, 1));
