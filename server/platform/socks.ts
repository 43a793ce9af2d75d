import { once } from "node:events";
import type { Duplex } from "node:stream";

const VERSION = 5;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

const answer = (code: number): Buffer => Buffer.from([VERSION, code, 0, IPV4, 0, 0, 0, 0, 0, 0]);

/** How a server of SOCKS5 answers a request (RFC 1928, section 6). */
export const ANSWERS = {
  connected: answer(0),
  notAllowed: answer(2),
  unreachable: answer(4),
  notSupported: answer(7),
};

/** Where a client wants to be connected to. */
export interface Wanted {
  /** A name or an IP address, as the client gave it. */
  host: string;
  port: number;
}

/**
 * Hears what a client of SOCKS5 wants (RFC 1928), without authentication.
 * @returns null when it wants something else than a connection
 * @throws Error for a client that speaks something else, or goes
 */
export async function hearWanted(client: Duplex): Promise<Wanted | null> {
  const [version, methods] = await take(client, 2);
  if (version !== VERSION) throw new Error("The client does not speak SOCKS5.");
  await take(client, methods!);
  client.write(Buffer.from([VERSION, 0]));
  const [, command, , type] = await take(client, 4);
  const host = await takeHost(client, type!);
  const port = (await take(client, 2)).readUInt16BE();
  return command === CONNECT ? { host, port } : null;
}

async function takeHost(client: Duplex, type: number): Promise<string> {
  if (type === IPV4) return [...(await take(client, 4))].join(".");
  if (type === IPV6) return (await take(client, 16)).toString("hex").match(/.{4}/g)!.join(":");
  if (type !== NAME) throw new Error("The client gives no address.");
  const [size] = await take(client, 1);
  return (await take(client, size!)).toString();
}

/** Exactly so many bytes; what follows them stays in the stream. */
async function take(stream: Duplex, size: number): Promise<Buffer> {
  while (size > 0) {
    const bytes = stream.read(size) as Buffer | null;
    if (bytes?.length === size) return bytes;
    if (bytes || stream.readableEnded || stream.destroyed) throw new Error("The client has gone.");
    await once(stream, "readable");
  }
  return Buffer.alloc(0);
}
