import { type Facts, isEnd } from "./facts.ts";
import { cut, details } from "./text.ts";
import { type ChannelKind, jsonRequest } from "./types.ts";

const keyOf = ({ incidentId, event, timestamp }: Facts): string => incidentId || `${event} ${timestamp}`;

/** incident.io's HTTP alert source. */
export const incidentIo: ChannelKind = {
  compose(target, facts) {
    const body = {
      title: cut(facts.title, 500),
      status: isEnd(facts) ? "resolved" : "firing",
      deduplication_key: keyOf(facts),
      ...(facts.cause === "" ? {} : { description: cut(facts.cause, 4000) }),
      ...(facts.url === "" ? {} : { source_url: facts.url }),
      metadata: { ...Object.fromEntries(details(facts)), severity: facts.severity, event: facts.event },
    };
    return jsonRequest(target.url!, body, { authorization: `Bearer ${target.token}` });
  },
  isHopeless: (status) => status === 400 || status === 404 || status === 410 || status === 422,
};
