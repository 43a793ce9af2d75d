import { oncePer } from "../once.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import type { Evidence, RunEvidence } from "../types.ts";
import { withoutQuery } from "../words.ts";

/** Whether scripts of the site fetch its pages and put them in place (Turbo, htmx, pjax), as every pass shows, or the run itself where it has none. */
export const fetchesPages = ({ run, passes }: Evidence): boolean =>
  (passes.length > 0 ? passes : [run]).every((one) => hasFetchedPages(one, "pages"));

/** A page that was fetched is at the address that it was fetched from. */
const hasFetchedPages = oncePer(({ facts }: RunEvidence, _: "pages"): boolean => {
  const stoodAt = new Set(facts.pages.map(({ url }) => withoutQuery(url)));
  return facts.exchanges.some(
    (one) =>
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      one.method === "GET" &&
      /html/.test(one.mediaType) &&
      !isFailedExchange(one) &&
      stoodAt.has(withoutQuery(one.url)),
  );
});
