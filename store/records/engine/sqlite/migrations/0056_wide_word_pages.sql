-- Whoever looks for a word of many traces far back in time steps over one page of that word's list after another. Pages of 16,000 bytes
-- in place of 4,050 are a quarter as many. Only what is written from now on has them.
INSERT INTO traces_fts (traces_fts, rank) VALUES ('pgsz', 16000);
