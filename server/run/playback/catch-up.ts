/** A request of the past. The address is masked as everything in a trace is. */
export interface PastCall {
  method: string;
  url: string;
}

/** What is sent again to the target when a replay goes live, and what is not. */
export interface CaughtUp {
  sent: PastCall[];
  left_out: PastCall[];
}

export interface CatchUpRule {
  /** What whoever asked for the replay wants: everything, nothing; null when it was not said. */
  wanted: boolean | null;
  /** Whether the scenario says that its requests may be sent twice. */
  isIdempotent: boolean;
}

const CHANGES = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const SAFE = new Set(["GET", "HEAD"]);
/** More of them, or longer ones, are counted, not listed. */
const MOST_LISTED = 100;
const LONGEST_URL = 500;

/** Whether a request made the session or the state of then: pages, and what changes something. */
export const isOfThePast = (method: string, isPage: boolean): boolean => isPage || CHANGES.has(method);

/**
 * Whether a request of the past is sent to its target again. One that may change something is, when its target is this machine, or
 * somebody says that it may be: else it would order again what was ordered then.
 */
export function isSentAgain({ method, url }: PastCall, { wanted, isIdempotent }: CatchUpRule): boolean {
  if (wanted !== null) return wanted;
  return SAFE.has(method) || isIdempotent || isLoopback(url);
}

export function splitPast(calls: readonly PastCall[], rule: CatchUpRule): CaughtUp {
  const short = ({ method, url }: PastCall): PastCall => ({ method, url: url.slice(0, LONGEST_URL) });
  const [sent, left_out] = [true, false].map((isSent) =>
    calls
      .filter((call) => isSentAgain(call, rule) === isSent)
      .slice(0, MOST_LISTED)
      .map(short),
  ) as [PastCall[], PastCall[]];
  return { sent, left_out };
}

/** The same in words. */
export function tellPast(fromStep: number, { sent, left_out }: CaughtUp): string {
  const list = (calls: readonly PastCall[]) => calls.map(({ method, url }) => `${method} ${url}`).join(", ");
  const parts = [
    sent.length > 0 ? `is sent again: ${list(sent)}` : "nothing is sent again",
    ...(left_out.length > 0 ? [`is left out: ${list(left_out)}`] : []),
  ];
  return `Before step ${fromStep} everything is answered from the source trace. When the replay goes live, of what was sent then ${parts.join("; ")}.`;
}

function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host)
  );
}
