import type { Evidence, Finding } from "../types.ts";
import { bodyOf } from "../words.ts";
import { explained, type Rule } from "./rule.ts";

/** As engines quote what they could not read: `"no such file" is not valid JSON`, `"Internal S"... is not valid JSON`. */
const UNPARSED = /"([^"]{4,})"(?:\.\.\.)? is not valid JSON/;

/** The beginning of a text that an error is thrown over, as it is no JSON. */
const unparsedIn = ({ kind, title }: Finding): string | undefined =>
  kind === "page_error" || kind === "console_error" ? UNPARSED.exec(title)?.[1] : undefined;

/** Whether a request was refused with a text that begins so. */
function isRefusedWith(text: string, { kind, title, events }: Finding, { run }: Evidence): boolean {
  if (kind !== "request_failed") return false;
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  return (
    title.includes(`: ${text}`) || (one !== undefined && bodyOf(one, run.bodies)?.startsWith(text) === true)
  );
}

/** An error over a text that is no JSON only says again what a refused request was answered with. */
export const ofRefusal: Rule = (finding, { news, evidence }) => {
  const text = unparsedIn(finding);
  return text !== undefined && news.some((one) => isRefusedWith(text, one, evidence)) ? explained : null;
};

/** Whether the page threw over the answer to a request that was refused. */
export const isThrownOver = (refused: Finding, thrown: Finding | undefined, evidence: Evidence): boolean => {
  const text = thrown && unparsedIn(thrown);
  return text !== undefined && isRefusedWith(text, refused, evidence);
};
