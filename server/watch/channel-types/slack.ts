import type { Facts } from "./facts.ts";
import { cut, details, links } from "./text.ts";
import { type ChannelKind, jsonRequest } from "./types.ts";

/** A section's text may have 3,000 characters; escaped ones count as they are written. */
const MOST = 2900;
const HEADER_MOST = 150;

const SIGNS: Record<Facts["severity"], string> = { critical: "🔴", error: "🔴", warning: "🟠", info: "🟢" };

/** Slack reads these three as its own markup (its documentation, "Formatting text for app surfaces"). */
const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Cut before it is escaped, and again where the escapes made it long, never within one. */
function escaped(text: string, most: number): string {
  let characters = most;
  let out = escapeMarkup(cut(text, characters));
  while (out.length > most) {
    characters = Math.floor(characters * 0.8);
    out = escapeMarkup(cut(text, characters));
  }
  return out;
}

/** A message with blocks to Slack's incoming webhooks. What a page says stands in plain text, where nothing in it acts. */
export const slack: ChannelKind = {
  compose(target, facts) {
    const { title, cause, severity } = facts;
    const plain = (text: string, most: number) => ({
      type: "plain_text",
      text: cut(text, most),
      emoji: false,
    });
    const buttons = links(facts).map(([word, url]) => ({
      type: "button",
      text: plain(word, 75),
      url,
    }));
    const context = details(facts).map(([word, value]) => plain(`${word}: ${value}`, 300));
    const blocks = [
      { type: "header", text: plain(`${SIGNS[severity]} ${title}`, HEADER_MOST) },
      ...(cause === "" ? [] : [{ type: "section", text: plain(cause, MOST) }]),
      ...(context.length === 0 ? [] : [{ type: "context", elements: context }]),
      ...(buttons.length === 0 ? [] : [{ type: "actions", elements: buttons }]),
    ];
    return jsonRequest(target.url!, { text: escaped(`${SIGNS[severity]} ${title}`, MOST), blocks });
  },
  // The hook is gone, or the workspace does not take it (its documentation, "Sending messages using incoming webhooks").
  isHopeless: (status) => status === 403 || status === 404 || status === 410,
};
