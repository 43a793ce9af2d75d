/** Text matches are substrings, in the case they are written in. */
export const substring = (text: string): RegExp => new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));

/**
 * What an address in a scenario matches: with `*` it is a glob of the whole address (`**` crosses slashes, `*` does
 * not), without one any part of the address.
 */
export function addressPattern(text: string): RegExp {
  if (!text.includes("*")) return substring(text);
  const source = text
    .split(/(\*\*|\*)/)
    .map((part) => (part === "**" ? ".*" : part === "*" ? "[^/]*" : substring(part).source))
    .join("");
  return new RegExp(`^${source}$`);
}
