import { expectedAndReceived, plainText } from "../../server/trace/format/error-text.ts";
import { inWords, locatorWords } from "../../server/trace/format/step-words.ts";
import { oneLine } from "./text.ts";

/** Why it failed in one line: its cause where one was found, else what failed; empty for what did not fail. */
export const causeLine = (headline: string | null, message: string | null): string => {
  if (headline !== null) return oneLine(inWords(headline), 400);
  return message ? failureLine(message) : "";
};

const VALUE = 80;
const LOCATOR = /^[ \t]*Locator:\s*(.+)$/m;
const REASON = /^[ \t]*Error:\s*(.+)$/m;

/** A failure in one line: of an assertion what was wanted and what came, or of what; else the beginning of the message. */
export function failureLine(message: string, max = 400): string {
  const text = plainText(message, 4000);
  const { expected, received } = expectedAndReceived(text);
  if (expected !== undefined && received !== undefined) {
    return `expected ${oneLine(expected, VALUE)}, received ${oneLine(received, VALUE)}`;
  }
  const matcher = /\.((?:not\.)?to[A-Z]\w*)\(/.exec(text.split("\n", 1)[0] ?? "")?.[1];
  const locator = LOCATOR.exec(text)?.[1];
  if (!matcher || !locator) return oneLine(text, max);
  const reason = REASON.exec(text)?.[1];
  return oneLine(`${matcher}: ${locatorWords(locator)}${reason ? `, ${reason}` : ""}`, max);
}
