import { expectedAndReceived, plainText } from "../../server/trace/format/error-text.ts";
import { oneLine } from "./text.ts";

const VALUE = 80;

/** A failure in one line: of an assertion what was wanted and what came, else the beginning of the message. */
export function failureLine(message: string, max = 400): string {
  const text = plainText(message, 4000);
  const { expected, received } = expectedAndReceived(text);
  if (expected === undefined || received === undefined) return oneLine(text, max);
  const matcher = /\.(to[A-Z]\w*)\(/.exec(text.split("\n", 1)[0] ?? "")?.[1];
  return `${matcher ? `${matcher}: ` : ""}expected ${oneLine(expected, VALUE)}, received ${oneLine(received, VALUE)}`;
}
