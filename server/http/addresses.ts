import { isIP } from "node:net";
import { asSent } from "./head.ts";

/** The address that a request came from; null when it came by no socket. */
export type AddressOf = (request: Request) => string | null;

/**
 * @param options.peerOf address at the other end of a request's socket
 * @param options.trustProxy whether that is a reverse proxy, and the only one: then the last entry of `X-Forwarded-For` is
 * what the proxy itself saw, while those before it are whatever its client wrote
 */
export function createAddressOf(options: { peerOf: AddressOf; trustProxy: boolean }): AddressOf {
  const { peerOf, trustProxy } = options;
  return (request) => {
    const peer = peerOf(asSent(request));
    if (peer === null || !trustProxy) return peer;
    const last = request.headers.get("x-forwarded-for")?.split(",").at(-1) ?? "";
    return readAddress(last) ?? peer;
  };
}

/** An IP address as proxies write it: bare, in brackets, or with a port. */
function readAddress(text: string): string | null {
  const entry = text.trim();
  if (isIP(entry) !== 0) return entry;
  const host = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry);
  const address = host?.[1] ?? host?.[2] ?? "";
  return isIP(address) === 0 ? null : address;
}

/** What is counted as one address: IPv4 whole, in either spelling, and of IPv6 the /64. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address.split("%", 1)[0]!);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The eight groups of an IPv6 address in any of its spellings (RFC 4291, section 2.2). */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const [front, back] = [readGroups(head), readGroups(tail ?? "")];
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function readGroups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a, b, c, d] = group.split(".").map(Number) as [number, number, number, number];
    return [a * 256 + b, c * 256 + d];
  });
}
