import { email } from "./email.ts";
import { incidentIo } from "./incident-io.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import type { ChannelKind, ChannelType } from "./types.ts";
import { webhook } from "./webhook.ts";

export const CHANNEL_KINDS: Record<ChannelType, ChannelKind> = {
  webhook,
  slack,
  pagerduty,
  teams,
  incident_io: incidentIo,
  email,
};
