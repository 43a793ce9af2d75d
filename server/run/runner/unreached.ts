import { RunnerError } from "../errors.ts";

/** What Chromium says of a page that no answer came from. */
const UNREACHED =
  /net::ERR_(?:INTERNET_DISCONNECTED|NETWORK_\w+|NAME_\w+|ADDRESS_UNREACHABLE|CONNECTION_REFUSED|CONNECTION_TIMED_OUT|CONNECTION_FAILED|PROXY_CONNECTION_FAILED|SOCKS_CONNECTION_FAILED) at (\S+)/;

/**
 * A target that cannot be reached fails its run, unless it is this host that is cut off: then nothing is known of the target.
 * @param problem what the step ended with
 */
export async function asOffline(
  problem: unknown,
  isOnline: (target: URL) => Promise<boolean>,
): Promise<RunnerError | null> {
  const address = problem instanceof Error ? UNREACHED.exec(problem.message)?.[1] : undefined;
  const target = address === undefined ? null : URL.parse(address);
  if (!target || (await isOnline(target))) return null;
  return new RunnerError("offline", `This host is cut off from the network: ${target.host} was not reached.`);
}
