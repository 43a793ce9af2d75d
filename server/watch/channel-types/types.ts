import type { Facts } from "./facts.ts";

export const CHANNEL_TYPES = ["webhook", "slack", "pagerduty", "teams", "incident_io", "email"] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** Where a channel leads and what it is opened with. All of it is sealed: a chat program's address is a credential. */
export interface ChannelTarget {
  /** Of every type but email. */
  url?: string;
  /** Of email. */
  address?: string;
  /** `whsec_…`: what a webhook is signed with. */
  secret?: string;
  /** PagerDuty's integration key. */
  routing_key?: string;
  /** incident.io's token. */
  token?: string;
}

/** One attempt at one message. */
export interface Attempt {
  /** The same at every attempt, so that a receiver knows one that came before. */
  id: string;
  /** Epoch ms of this attempt. */
  at: number;
}

/** What goes over the wire. */
export type Outgoing =
  | { kind: "request"; url: string; headers: Record<string, string>; body: string }
  | { kind: "mail"; to: string; subject: string; text: string; thread?: string };

/** How a type of channel tells something. */
export interface ChannelKind {
  compose(target: ChannelTarget, facts: Facts, attempt: Attempt): Outgoing;
  /** Whether an answer of that status will be the same however often it is asked. */
  isHopeless(status: number): boolean;
}

/** A POST of JSON. */
export function jsonRequest(url: string, body: object, headers: Record<string, string> = {}): Outgoing {
  return {
    kind: "request",
    url,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}
