import type { Exchange } from "../run/run-facts.ts";
import { isTracker, pathOf } from "../words.ts";

/** Words of operations by which a product counts, watches or stays in touch. */
const WATCHES = new Set(
  "track tracking tracked log logs logger ping pong heartbeat heartbeats beat keepalive telemetry analytics analytic metric metrics beacon beacons impression impressions pageview pageviews".split(
    " ",
  ),
);
/** What stands beside such a word, and by itself says nothing. */
const FILLERS = new Set(
  "send record report collect post push add batch client browser ui web event events page view views visit visits usage error errors alive keep server message messages".split(
    " ",
  ),
);

/** Whether an operation of GraphQL or JSON-RPC only counts or watches: `Track`, `LogEvent`, `client.ping`; `TrackParcel` does not. */
export function isWatching(operation: string): boolean {
  const words = operation
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
  return (
    words.every((word) => WATCHES.has(word) || FILLERS.has(word)) &&
    (words.some((word) => WATCHES.has(word)) || words.join(" ") === "keep alive")
  );
}

/** Whether an address is asked time and again only to see whether somebody is there. */
export function isHeartbeat(url: string): boolean {
  const name = pathOf(url).split("/").at(-1) ?? "";
  return HEARTBEAT.test(name) && !(PLAIN_WORD.test(name) && URL.parse(url)?.search);
}

const HEARTBEAT = /^(?:ping|heartbeat|beat|keep-?alive|alive|healthz?|readyz?|livez?)$/i;
/** Products have things that are called so, and ask for some of them: `/live?month=2030-05`. */
const PLAIN_WORD = /^(?:live|ready|beat)$/i;

/** Whether a request is beside what a product is for: what happens to it breaks no page, and no thing of the page is in its answer. */
export const isBeside = ({ url, operation }: Exchange): boolean =>
  isTracker(url) || isHeartbeat(url) || (operation !== null && isWatching(operation));
