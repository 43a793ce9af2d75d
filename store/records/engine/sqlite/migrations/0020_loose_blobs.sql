-- The file of a loose blob has a name of its own: its hash and this suffix, '' for files of before. Whoever brings the same blob in
-- again brings another file, so that a removal never meets a file that somebody else relies on.
ALTER TABLE blob_locations ADD COLUMN suffix TEXT NOT NULL DEFAULT '';

-- Files of loose blobs that no row names any more and that are still to be removed.
CREATE TABLE leaving_blobs (
  hash TEXT NOT NULL,
  suffix TEXT NOT NULL,
  PRIMARY KEY (hash, suffix)
) STRICT, WITHOUT ROWID;

-- The collector's list has those whose row was gone and whose file was not.
INSERT INTO leaving_blobs (hash, suffix)
SELECT hash, '' FROM orphan_blobs o
WHERE NOT EXISTS (SELECT 1 FROM blob_locations l WHERE l.hash = o.hash AND l.container = '');
DELETE FROM orphan_blobs WHERE hash IN (SELECT hash FROM leaving_blobs);
