import { isRecord } from "../json-leaves.ts";

/**
 * The data of a page's parts as one, from the outermost to the page itself.
 * @param parts by what each goes by; what two of them hold under one name is the inner one's, and the outer one's under its own
 */
export function merged(parts: readonly [name: string, value: unknown][]): Record<string, unknown> {
  const whole = new Map<string, unknown>();
  for (const [name, value] of parts.toReversed()) {
    if (value === null || value === undefined) continue;
    const taken: [string, unknown][] = [];
    for (const [field, inner] of isRecord(value) ? Object.entries(value) : [[shortOf(name), value] as const])
      if (whole.has(field)) taken.push([field, inner]);
      else whole.set(field, inner);
    if (taken.length > 0 && name !== "") whole.set(name, Object.fromEntries(taken));
  }
  return Object.fromEntries(whole);
}

/** The last part of a route's name. */
const shortOf = (route: string): string => route.split(/[/.]/).at(-1) || "data";
