import { headerOf, isForeign } from "../words.ts";
import type { Exchange, RunFacts } from "./run-facts.ts";

type Site = Pick<RunFacts, "host" | "authority">;

/** Redirects that are followed, as many as browsers follow (Fetch, 4.4). */
const MOST_HOPS = 20;

/**
 * The site under test, where its first page was led on to another name of it: `127.0.0.1` to `localhost`, `example.com` to
 * `www.example.com`. All that is asked from there on is asked there. A way that leads to somebody else's site, as to sign in, is not gone.
 */
export function siteLedTo({ exchanges, host, authority }: Site & Pick<RunFacts, "exchanges">): Site {
  const documents = exchanges.filter(({ type }) => type === "document").slice(0, MOST_HOPS);
  let site: Site = { host, authority };
  for (const one of documents) {
    const to = redirectOf(one);
    if (to === null || isForeign(to.href, site)) break;
    site = { host: to.hostname, authority: to.host };
  }
  return site;
}

const redirectOf = ({ method, status, headers, url }: Exchange): URL | null => {
  const location = headerOf(headers, "location");
  return method === "GET" && status !== null && status >= 300 && status < 400 && location !== null
    ? URL.parse(location, url)
    : null;
};
