-- Whether an org's status is public. Null is the usual: that of the first org is, those of others are not.
ALTER TABLE orgs ADD COLUMN status_page INTEGER CHECK (status_page IN (0, 1));

-- Whoever reminds asks for the incidents that are open.
CREATE INDEX incidents_open ON incidents (id) WHERE status = 'open';
