import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { addressesOf, isPublicAddress, NetError, withoutBrackets } from "./net.ts";
import { ANSWERS, hearWanted, type Wanted } from "./socks.ts";

/** A connection that was asked for and not made. */
export interface Unmade extends Wanted {
  why: "not_public" | "unknown_host" | "unreachable";
}

/** A proxy on this machine that connects to public addresses only. */
export interface CheckedProxy {
  /** `socks5://127.0.0.1:<port>` */
  readonly url: string;
  /** Lets connections to one more address through: a URL with an IP address and a port. */
  allow(url: string): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** To one address; a name may have several. */
const CONNECT_MS = 10_000;
/** Browsers know these names by themselves (RFC 6761, section 6.3). */
const LOCALHOST = /^(.+\.)?localhost\.?$/i;
const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * Starts a SOCKS5 proxy that refuses private, loopback, link-local and metadata addresses. It resolves names itself and
 * connects to the very address that it checked, so a name that changes its address meanwhile gains nothing.
 * @param onUnmade is told each connection that was refused or failed
 */
export async function startCheckedProxy(onUnmade: (unmade: Unmade) => void): Promise<CheckedProxy> {
  const allowed = new Set<string>();
  const sockets = new Set<Socket>();

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // What it means is told by its close.
    socket.on("error", () => socket.destroy());
    return socket;
  }

  async function usable({ host, port }: Wanted): Promise<string[] | Unmade["why"]> {
    try {
      const addresses = LOCALHOST.test(host) ? LOOPBACK : await addressesOf(host);
      const found = addresses.filter((one) => isPublicAddress(one) || allowed.has(placeOf(one, port)));
      return found.length > 0 ? found : "not_public";
    } catch (error) {
      if (error instanceof NetError) return "unknown_host";
      throw error;
    }
  }

  async function reach(wanted: Wanted): Promise<Socket | Unmade["why"]> {
    const addresses = await usable(wanted);
    if (typeof addresses === "string") return addresses;
    for (const host of addresses) {
      const socket = keep(connect({ host, port: wanted.port }));
      if (await isConnected(socket)) return socket;
    }
    return "unreachable";
  }

  async function serve(client: Socket): Promise<void> {
    const wanted = await hearWanted(client);
    if (!wanted) return void client.end(ANSWERS.notSupported);
    const target = await reach(wanted);
    if (typeof target === "string") {
      onUnmade({ ...wanted, why: target });
      return void client.end(target === "not_public" ? ANSWERS.notAllowed : ANSWERS.unreachable);
    }
    client.once("close", () => target.destroy());
    target.once("close", () => client.destroy());
    if (client.destroyed) return void target.destroy();
    client.write(ANSWERS.connected);
    client.pipe(target);
    target.pipe(client);
  }

  // Whoever speaks something else is not answered.
  const server = createServer((client) => void serve(keep(client)).catch(() => client.destroy()));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allow(text) {
      const { hostname, port } = new URL(text);
      allowed.add(placeOf(withoutBrackets(hostname), Number(port)));
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

const placeOf = (address: string, port: number): string => `${address} ${port}`;

function isConnected(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.setTimeout(CONNECT_MS, () => socket.destroy());
    socket.once("connect", () => {
      socket.setTimeout(0);
      resolve(true);
    });
    socket.once("close", () => resolve(false));
  });
}
