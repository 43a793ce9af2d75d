import type { ChannelType, Delivery } from "./api.ts";

type Field = "url" | "address" | "routing_key" | "token";

/** How a type of channel is called, and what it is opened with. */
export const TYPES: Record<
  ChannelType,
  { word: string; fields: { name: Field; label: string; type: "url" | "text" | "password" | "email" }[] }
> = {
  webhook: { word: "Webhook", fields: [{ name: "url", label: "Address", type: "url" }] },
  slack: { word: "Slack", fields: [{ name: "url", label: "Address of the incoming webhook", type: "url" }] },
  pagerduty: {
    word: "PagerDuty",
    fields: [{ name: "routing_key", label: "Integration key (Events API v2)", type: "text" }],
  },
  teams: { word: "Teams", fields: [{ name: "url", label: "Address of the workflow", type: "url" }] },
  incident_io: {
    word: "incident.io",
    fields: [
      { name: "url", label: "Address of the HTTP alert source", type: "url" },
      { name: "token", label: "Its token", type: "password" },
    ],
  },
  email: { word: "Email", fields: [{ name: "address", label: "Who gets it", type: "email" }] },
};

export const STATES: Record<Delivery["state"], string> = {
  pending: "waits",
  delivered: "arrived",
  dead: "given up",
};
