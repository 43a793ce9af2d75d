import type { ApiClient } from "../platform/api-client.ts";
import { systemClock } from "../platform/clock.ts";
import { CliError, note } from "./output.ts";

const MAX_WAIT_SECONDS = 70;

/**
 * Sends a request and hands back its successful answer. A rate limit is waited out as the server asks.
 * @param send makes the request; called again after a wait, so it must build its body anew
 * @throws CliError with the server's own sentence
 */
export async function callWith(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send().catch((error) => {
      if (error instanceof CliError) throw error;
      throw new CliError(`The server cannot be reached: ${describe(error)}`, "unavailable");
    });
    if (response.ok) return response;
    const wait = Number(response.headers.get("retry-after"));
    if (response.status === 429 && wait > 0 && wait <= MAX_WAIT_SECONDS) {
      note(`The server asks to wait ${wait} s.`);
      await systemClock.sleep(wait * 1000);
      continue;
    }
    throw errorIn(response, await response.text());
  }
}

/** The JSON of a successful answer. @throws CliError */
export async function callJson<T>(client: ApiClient, path: string, init?: RequestInit): Promise<T> {
  const response = await callWith(() => client.request(path, init));
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw new CliError(`The server's answer did not come whole: ${describe(error)}`, "unavailable");
  }
}

/** What a server said that did not do what it was asked. */
export function errorIn(response: Response, text: string): CliError {
  try {
    const { error, message } = JSON.parse(text) as { error?: unknown; message?: unknown };
    if (typeof message === "string") return new CliError(message, String(error), helpOf(response));
  } catch {
    // No JSON: something that is not Tracedeck answered.
  }
  return new CliError(strangerSaid(response), "unavailable");
}

/** An answer that is none of Tracedeck's: of a proxy before it, or of another program. */
function strangerSaid({ status, statusText, headers, url }: Response): string {
  const who = url === "" ? "The server" : new URL(url).origin;
  const said = `${who} answered ${`${status} ${statusText}`.trim()}`;
  const target =
    status >= 300 && status < 400 ? URL.parse(headers.get("location") ?? "", url || undefined) : null;
  if (target) return `${said}, and leads to ${target.origin}: give that address.`;
  return status < 500 ? `${said}, as no Tracedeck does: is the address right?` : `${said}.`;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The address that an answer names for help; an app in this very process has none that a browser could open. */
function helpOf({ headers, url }: Response): string | null {
  const [, path] = /<([^<>]+)>;\s*rel="help"/.exec(headers.get("link") ?? "") ?? [];
  return path && url !== "" ? new URL(path, url).href : null;
}
