-- What a job waits for: of the jobs of one lane only a few go on at once, so that a receiver that hangs holds up its own messages alone.
ALTER TABLE jobs ADD COLUMN lane TEXT;

-- Notices of an incident go with it; these are looked for by their age.
CREATE INDEX notices_alone ON notices (created_at) WHERE incident_id IS NULL;
