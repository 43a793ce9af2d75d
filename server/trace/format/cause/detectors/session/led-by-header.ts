import type { Exchange } from "../../run/run-facts.ts";
import { headerOf } from "../../words.ts";

/** Headers by which libraries that bring parts of a page lead it elsewhere, where browsers would follow a redirect unseen: those of htmx and Inertia. */
const LEADING = ["hx-redirect", "hx-location", "x-inertia-location"] as const;

/** Where such a header has a page go, as a whole address; null where none does. */
export function ledByHeader({ headers, url }: Exchange): { to: string; header: string } | null {
  for (const header of LEADING) {
    const value = headerOf(headers, header);
    if (value === null) continue;
    // htmx takes a record with the address in it too.
    const address = value.startsWith("{") ? /"path"\s*:\s*"([^"]{1,500})"/.exec(value)?.[1] : value;
    const to = address === undefined ? undefined : URL.parse(address, url)?.href;
    if (to !== undefined) return { to, header };
  }
  return null;
}
