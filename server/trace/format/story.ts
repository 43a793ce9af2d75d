import type { Cause } from "./cause/types.ts";

const MET =
  / (?:[\d.]+ (?:ms|s|min) before, |At the same moment )(?:\w+ (\S+) was answered with (\d{3})|the console logged the error “([^”]+?)…?”).*?(?= (?:One request was|\d+ requests were|No recorded request|The page was|[\d.]+ (?:ms|s|min) before, |At the same moment )|$)/gs;

/**
 * The paragraph of a summary without what passes met as well: it was written before anything was compared.
 * @param narrative null stays null
 */
export function storyOf(
  narrative: string | null,
  { also_when_passing: also }: Pick<Cause, "also_when_passing">,
): string | null {
  if (narrative === null || also.length === 0) return narrative;
  const isUsual = (...words: string[]) =>
    also.some(({ title }) => words.every((word) => title.includes(word)));
  return narrative.replace(MET, (whole, address?: string, status?: string, logged?: string) => {
    const path = address?.slice(Math.max(0, address.indexOf("/"))) ?? "";
    const isKnown =
      logged !== undefined ? isUsual(logged) : path !== "" && isUsual(path, `was answered with ${status}`);
    return isKnown ? "" : whole;
  });
}
