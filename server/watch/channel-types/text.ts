import type { Facts } from "./facts.ts";

/** The text up to so many characters, whole ones; a cut is shown. */
export function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

/** What a message says besides its title, as pairs of word and value. */
export function details({ scenarioSlug, region, since, failureSignature }: Facts): [string, string][] {
  const pairs: [string, string][] = [
    ["Scenario", scenarioSlug],
    ["Region", region],
    ["Since", since],
    ["Failure", failureSignature],
  ];
  return pairs.filter(([, value]) => value !== "");
}

/** Where a message leads, as pairs of word and address. */
export function links({ url, traceUrl }: Facts): [string, string][] {
  const pairs: [string, string][] = [
    ["Open in Tracedeck", url],
    ["Trace", traceUrl],
  ];
  return pairs.filter(([, address]) => address !== "");
}
