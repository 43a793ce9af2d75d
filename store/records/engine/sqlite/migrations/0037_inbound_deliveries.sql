-- What a code host told by its webhook, and what came of it. Of the payload stands here what was read of it.
CREATE TABLE inbound_deliveries (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  -- The host's own id of the delivery, which its redeliveries have too.
  guid TEXT NOT NULL,
  event TEXT NOT NULL,
  action TEXT,
  repository TEXT,
  -- What it is about, for people: `#12`, a ref, the beginning of a commit.
  subject TEXT,
  -- JSON of what was read; null where there is nothing to handle.
  payload TEXT,
  payload_bytes INTEGER NOT NULL,
  -- When it happened, as the payload says; null where its action has no such time.
  happened_at INTEGER,
  received_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'done', 'ignored', 'stale', 'unreadable', 'dead')),
  -- One sentence: what followed, or why nothing did.
  outcome TEXT,
  error TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  replays INTEGER NOT NULL DEFAULT 0,
  -- Since when it is tried: when it came, or was replayed.
  tried_since INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX inbound_deliveries_by_org ON inbound_deliveries (org_id, id);
CREATE INDEX inbound_deliveries_by_state ON inbound_deliveries (org_id, state, id);
CREATE INDEX inbound_deliveries_ended ON inbound_deliveries (ended_at) WHERE ended_at IS NOT NULL;

-- Ids of deliveries that were taken, with what was answered: for a day the same id is answered the same and done once.
CREATE TABLE inbound_answers (
  guid TEXT PRIMARY KEY,
  answer TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;
CREATE INDEX inbound_answers_by_age ON inbound_answers (seen_at);

-- Deliveries that the host was asked to send once more: they are older than others may be.
CREATE TABLE inbound_redeliveries (
  guid TEXT PRIMARY KEY,
  asked INTEGER NOT NULL,
  asked_at INTEGER NOT NULL
) STRICT;

-- Until when it is known that nothing was missed.
CREATE TABLE inbound_looks (
  org_id TEXT PRIMARY KEY REFERENCES orgs (id) ON DELETE CASCADE,
  looked_at INTEGER NOT NULL
) STRICT;
