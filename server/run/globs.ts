const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Text matches are substrings, in the case they are written in. */
export const substring = (text: string): RegExp => new RegExp(literal(text));

/**
 * What an address in a scenario matches: with `*` it is a glob of the whole address (`**` crosses slashes, `*` does
 * not), without one any part of the address. However many stars it has, its time grows with the square of the address at most.
 */
export function addressPattern(text: string): RegExp {
  if (!text.includes("*")) return substring(text);
  const groups = { count: 0 };
  const [first, ...others] = text.split("**");
  const parts = [
    `^${withinFolder(first!, groups, others.length === 0)}`,
    ...others.slice(0, -1).map((part) => once(`.*?${withinFolder(part, groups, false)}`, groups)),
    ...others.slice(-1).map((part) => `.*${withinFolder(part, groups, true)}`),
  ];
  return new RegExp(`${parts.join("")}$`);
}

/** A part of a glob whose stars cross no slash. @param isLast whether the address ends with it */
function withinFolder(glob: string, groups: { count: number }, isLast: boolean): string {
  const [first, ...others] = glob.split("*");
  const parts = others.map((text, at) =>
    isLast && at === others.length - 1 ? `[^/]*${literal(text)}` : once(`[^/]*?${literal(text)}`, groups),
  );
  return [literal(first!), ...parts].join("");
}

/** Matches where a pattern does so first, and tries no other place for it: what follows in a glob loses nothing by that. */
function once(source: string, groups: { count: number }): string {
  const name = `part${groups.count++}`;
  return `(?=(?<${name}>${source}))\\k<${name}>`;
}
