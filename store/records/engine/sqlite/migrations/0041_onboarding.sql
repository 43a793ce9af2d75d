-- When a message first arrived over the channel; what is told is pruned, and this is not.
ALTER TABLE notification_channels ADD COLUMN arrived_at INTEGER;
UPDATE notification_channels SET arrived_at = (
  SELECT min(ended_at) FROM webhook_deliveries
  WHERE webhook_deliveries.channel_id = notification_channels.id AND webhook_deliveries.state = 'delivered'
);

-- The checklist asks whether somebody has said so.
CREATE INDEX audit_events_analytics ON audit_events (org_id) WHERE action = 'onboarding.analytics_ack';
