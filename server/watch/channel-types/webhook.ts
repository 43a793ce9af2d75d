import { signatureHeaders } from "./signatures.ts";
import { type ChannelKind, jsonRequest } from "./types.ts";

/** A signed JSON document to any address: the payload of monitoring-and-gating.md, section 2.6, and nothing else. */
export const webhook: ChannelKind = {
  compose(target, facts, { id, at }) {
    const { event, orgId, incidentId, scenarioSlug, region, runId, failureSignature, traceUrl, timestamp } =
      facts;
    const outgoing = jsonRequest(target.url!, {
      ...{ event, orgId, incidentId, scenarioSlug, region, runId, failureSignature, traceUrl, timestamp },
    });
    if (outgoing.kind === "request")
      Object.assign(
        outgoing.headers,
        signatureHeaders(target.secret!, { id, at: Math.floor(at / 1000), body: outgoing.body }),
      );
    return outgoing;
  },
  isHopeless: (status) => status === 410,
};
