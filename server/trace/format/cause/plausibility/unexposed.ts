import { because, type Rule } from "./rule.ts";

/** What was refused without the version that it is for is told with the answer whose ETag the page could not read. */
export const withoutVersion: Rule = ({ kind, is_new, title, events }, { news }) => {
  if (kind !== "request_failed" || is_new !== true || !/without the header if-match\b/.test(title))
    return null;
  const answer = news.find(
    ({ about, events: [seq = 0] }) =>
      /^unexposed (?:.* )?etag(?: |$)/.test(about ?? "") && events.some((refused) => seq < refused),
  );
  return answer ? because(answer) : null;
};
