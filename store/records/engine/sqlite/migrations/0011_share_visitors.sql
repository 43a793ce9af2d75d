-- Who opens a shared page again on the same day is counted, not listed anew, so that nobody else is pushed off the list.
ALTER TABLE share_views ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
