import { lookup } from "node:dns/promises";
import { connect, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { isPublicAddress } from "./net.ts";

/** Public resolvers, run by different people: when none of them can be reached, it is this host that is cut off. */
const WITNESSES = ["1.1.1.1", "9.9.9.9", "8.8.8.8"];
const WITNESS_PORT = 443;
const PATIENCE_MS = 2000;
const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Whether this host's own network works as far as a target needs it, to be asked after the target could not be reached: for
 * the host itself always, for private addresses when a network is up, else when any of three public resolvers can be
 * connected to. Nothing is sent to them.
 */
export async function isOnline(target: URL): Promise<boolean> {
  const { hostname } = target;
  if (LOOPBACK.test(hostname)) return true;
  const hasNetwork = Object.values(networkInterfaces()).some((all) => all?.some(({ internal }) => !internal));
  if (!hasNetwork) return false;
  const bare = hostname.replace(/^\[|\]$/g, "");
  const known = isIP(bare) ? [bare] : await addressesOf(bare);
  if (known.length > 0 && !known.some(isPublicAddress)) return true;
  const reached = WITNESSES.map(async (address) => {
    if (!(await canConnect(address))) throw new Error(address);
  });
  return Promise.any(reached).then(
    () => true,
    () => false,
  );
}

/** A name that nobody knows has none. */
async function addressesOf(name: string): Promise<string[]> {
  return lookup(name, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
}

function canConnect(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: WITNESS_PORT, timeout: PATIENCE_MS });
    const end = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", end(true));
    socket.once("timeout", end(false));
    socket.once("error", end(false));
  });
}
