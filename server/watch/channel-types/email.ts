import { cut, details, links } from "./text.ts";
import type { ChannelKind } from "./types.ts";

/** A subject is one line (RFC 5322, section 2.2). */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");

/** Plain text; the mails of one incident stand in one thread. */
export const email: ChannelKind = {
  compose(target, facts, { id }) {
    const { title, cause, incidentId } = facts;
    const lines = [
      title,
      ...(cause === "" ? [] : ["", cause]),
      "",
      ...details(facts).map(([word, value]) => `${word}: ${value}`),
      "",
      ...links(facts).map(([word, url]) => `${word}: ${url}`),
    ];
    const thread = incidentId === "" ? null : `<incident.${incidentId}@tracedeck.invalid>`;
    return {
      kind: "mail",
      to: target.address!,
      subject: cut(oneLine(title), 200),
      text: `${lines.join("\n").trimEnd()}\n`,
      headers: {
        "message-id": `<${id}@tracedeck.invalid>`,
        // RFC 3834: nobody's holiday note answers it.
        "auto-submitted": "auto-generated",
        ...(thread === null ? {} : { references: thread, "in-reply-to": thread }),
      },
    };
  },
  isHopeless: () => false,
};
