import { type Facts, isEnd } from "./facts.ts";
import { cut, details, links } from "./text.ts";
import { type ChannelKind, jsonRequest } from "./types.ts";

export const PAGERDUTY_URL = "https://events.pagerduty.com/v2/enqueue";

/** One alert for one incident: its end names it again. A message without an incident is an alert of its own. */
const keyOf = ({ incidentId, event, timestamp }: Facts): string => incidentId || `${event} ${timestamp}`;

/** PagerDuty's Events API v2. */
export const pagerduty: ChannelKind = {
  compose(target, facts) {
    const { title, cause, severity, timestamp, scenarioSlug, region } = facts;
    const common = { routing_key: target.routing_key!, dedup_key: keyOf(facts) };
    const url = target.url ?? PAGERDUTY_URL;
    if (isEnd(facts)) return jsonRequest(url, { ...common, event_action: "resolve" });
    return jsonRequest(url, {
      ...common,
      event_action: "trigger",
      payload: {
        summary: cut(cause === "" ? title : `${title}: ${cause}`, 1024),
        source: region === "" ? "tracedeck" : region,
        severity,
        timestamp,
        ...(scenarioSlug === "" ? {} : { component: scenarioSlug }),
        class: facts.event,
        custom_details: Object.fromEntries(details(facts)),
      },
      links: links(facts).map(([text, href]) => ({ href, text })),
      client: "Tracedeck",
      client_url: facts.url,
    });
  },
  // A bad event stays bad (its documentation, "Response codes & retry logic").
  isHopeless: (status) => status === 400 || status === 410,
};
