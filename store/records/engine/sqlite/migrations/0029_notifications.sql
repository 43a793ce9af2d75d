-- Where an org is told of incidents. Address and keys stand in `sealed` only, encrypted (server/watch/channels/sealed.ts).
CREATE TABLE notification_channels (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  sealed BLOB NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  -- Why the server itself has disabled it.
  disabled_reason TEXT,
  -- Since when nothing has arrived any more; null while it works.
  broken_since INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notification_channels_by_org ON notification_channels (org_id, created_at, id);

-- One message to one channel, from the transaction that decided on it until it has arrived or is given up. `facts` is what is told.
CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL,
  channel_type TEXT NOT NULL,
  channel_name TEXT NOT NULL,
  -- What caused it; a channel gets one message for it.
  notice_id TEXT NOT NULL,
  event TEXT NOT NULL,
  incident_id TEXT,
  facts TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Attempts before it was replayed the last time.
  earlier_attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  last_attempt_at INTEGER,
  last_status INTEGER,
  last_error TEXT,
  -- The beginning of the last answer.
  last_answer TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  UNIQUE (notice_id, channel_id)
) STRICT;
CREATE INDEX webhook_deliveries_by_org ON webhook_deliveries (org_id, id);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (org_id, state, id);
CREATE INDEX webhook_deliveries_by_incident ON webhook_deliveries (incident_id, id) WHERE incident_id IS NOT NULL;
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;
