import type { Facts } from "./facts.ts";
import { cut, details, links } from "./text.ts";
import { type ChannelKind, jsonRequest } from "./types.ts";

const COLOURS: Record<Facts["severity"], string> = {
  critical: "Attention",
  error: "Attention",
  warning: "Warning",
  info: "Good",
};
/** The whole message may have 28 KB. */
const MOST = 4000;

/** Adaptive cards read a little Markdown in text blocks; these characters begin it. */
const plain = (text: string): string => text.replace(/[\\`*_[\]()#>~]/g, "\\$&");

/** An adaptive card to a Teams workflow ("Post to a channel when a webhook request is received"). */
export const teams: ChannelKind = {
  compose(target, facts) {
    const block = (text: string, more: object = {}) => ({
      type: "TextBlock",
      text: plain(text),
      wrap: true,
      ...more,
    });
    const facts_ = details(facts).map(([title, value]) => ({ title, value: cut(value, 300) }));
    const content = {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      version: "1.4",
      body: [
        block(cut(facts.title, 300), { weight: "Bolder", size: "Medium", color: COLOURS[facts.severity] }),
        ...(facts.cause === "" ? [] : [block(cut(facts.cause, MOST))]),
        ...(facts_.length === 0 ? [] : [{ type: "FactSet", facts: facts_ }]),
      ],
      actions: links(facts).map(([title, url]) => ({ type: "Action.OpenUrl", title, url })),
    };
    return jsonRequest(target.url!, {
      type: "message",
      attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
    });
  },
  isHopeless: (status) => status === 404 || status === 410,
};
