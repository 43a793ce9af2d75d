import { cut, details, links } from "./text.ts";
import type { ChannelKind } from "./types.ts";

/** Plain text; the mails of one incident stand in one thread. */
export const email: ChannelKind = {
  compose(target, facts) {
    const { title, cause, incidentId } = facts;
    const lines = [
      title,
      ...(cause === "" ? [] : ["", cause]),
      "",
      ...details(facts).map(([word, value]) => `${word}: ${value}`),
      "",
      ...links(facts).map(([word, url]) => `${word}: ${url}`),
    ];
    return {
      kind: "mail",
      to: target.address!,
      subject: cut(title, 200),
      text: `${lines.join("\n").trimEnd()}\n`,
      ...(incidentId === "" ? {} : { thread: `incident.${incidentId}` }),
    };
  },
  isHopeless: () => false,
};
