import { explained, type Rule } from "./rule.ts";

/** As engines quote what they could not read: `"no such file" is not valid JSON`, `"Internal S"... is not valid JSON`. */
const UNPARSED = /"([^"]{4,})"(?:\.\.\.)? is not valid JSON/;

/** An error over a text that is no JSON only says again what a refused request was answered with. */
export const ofRefusal: Rule = ({ kind, title }, { news }) => {
  const text = kind === "page_error" || kind === "console_error" ? UNPARSED.exec(title)?.[1] : undefined;
  return text !== undefined &&
    news.some((one) => one.kind === "request_failed" && one.title.includes(`: ${text}`))
    ? explained
    : null;
};
