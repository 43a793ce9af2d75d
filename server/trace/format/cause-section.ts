import type { Cause, Suspect } from "./cause/types.ts";
import { headline } from "./error-text.ts";
import { codeBlock, text } from "./markdown.ts";

const DETAIL = 500;
const ALSO = 8;
/** Less sure than this is a guess. */
const GUESS = 0.45;

/** Said of a cause that was found in the failed run alone: what passes have as well may stand among its suspects. */
export const NOT_COMPARED = "Told without a pass to compare with.";

/**
 * The likely cause as markdown: the headline, the suspects best first, and what the passes have as well. Empty for a run
 * without one.
 * @param most suspects that are told
 * @param isAlone whether no pass was there to compare with, which is then said
 */
export function causeSection(
  { headline: said, suspects, also_when_passing: also }: Cause,
  { most = 10, isAlone = false }: { most?: number; isAlone?: boolean } = {},
): string {
  if (said === null) return "";
  const [first] = suspects;
  const isGuess = first !== undefined && first.confidence < GUESS;
  const lines = [isGuess ? "## Possible cause" : "## Likely cause", `**${text(said)}**`];
  if (isAlone) lines.push(NOT_COMPARED);
  if (first?.kind === "assertion") lines.push("Nothing else that was recorded explains it.");
  if (suspects.length > 0) lines.push(suspects.slice(0, most).map(suspectLine).join("\n"));
  const detail = first?.detail;
  if (detail && !said.includes(detail)) lines.push("Of the first:", codeBlock(detail.slice(0, DETAIL)));
  if (also.length > 0) {
    const noise = also
      .slice(0, ALSO)
      .map(({ title, count }) => `${text(title)}${count > 1 ? ` (${count} times)` : ""}`);
    lines.push(`Also there when it passes, so no cause: ${noise.join("; ")}.`);
  }
  return lines.join("\n\n");
}

function suspectLine({ rank, title, detail, confidence, events, is_new: isNew }: Suspect): string {
  const novelty = isNew === null ? "" : isNew ? ", new against the last passes" : ", passes have it too";
  const more = rank > 1 && detail && !detail.includes("\n") ? ` ${text(headline(detail, 200))}` : "";
  const at = events.length > 0 ? `, event ${events[0]}` : "";
  return `${rank}. ${text(title)} (${Math.round(confidence * 100)} %${novelty}${at}).${more}`;
}
