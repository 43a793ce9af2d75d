import { RunnerError } from "./errors.ts";
import type { Text } from "./language/ast.ts";

/** This machine's files, and pages of the browser's own. What else pages may come to (mail programs, viewers) is none of these. Source of a regular expression. */
export const NEVER_SHOWN = "(?:file|filesystem|view-source|chrome|devtools):";
const IS_NEVER_SHOWN = new RegExp(`^${NEVER_SHOWN}`);

/** Whether a scenario may go to an address, or send a request to it. */
export const mayBeAskedFor = ({ protocol, pathname }: URL): boolean =>
  /^(https?|data):$/.test(protocol) || (protocol === "about:" && pathname === "blank");

/** Whether a page or one of its frames may stand at an address, as the browser tells it. */
export const mayBeShown = (address: string): boolean => !IS_NEVER_SHOWN.test(address);

/**
 * The address that a step means, from the scenario's base.
 * @throws RunnerError `address_missing` for none, `url_not_allowed` for one of this machine's files, of the browser's own
 * pages, or of any other scheme than http, https, data and about:blank
 */
export function addressOf(
  { values, baseUrl }: { values: { resolve(text: Text): string }; baseUrl: string | null },
  given: Text,
): string {
  const text = values.resolve(given);
  const url = URL.parse(text, baseUrl ?? undefined);
  if (!url)
    throw new RunnerError(
      "address_missing",
      `${text} is no address, and the scenario has no base_url that it could start from.`,
    );
  // What was given may be written in many ways; what it comes to, in one.
  if (!mayBeAskedFor(url)) throw notAllowed(url.protocol);
  return url.href;
}

/** @param scheme with its colon */
export const notAllowed = (scheme: string): RunnerError =>
  new RunnerError(
    "url_not_allowed",
    `The address begins with ${scheme}, and scenarios reach http, https, data and about:blank addresses only.`,
  );
