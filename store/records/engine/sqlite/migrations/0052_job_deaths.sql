-- How often the process died while it worked on a job: counted when the work begins, taken back when it ends in any other way.
ALTER TABLE jobs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
