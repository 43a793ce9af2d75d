/** Breaks what a code host would make a link or a mention of; it is not seen. */
const JOINER = "\u2060";
const LONGEST = 600;

/**
 * Somebody else's text (a page's, a branch's) as Markdown that shows just that text, on one line: no HTML, no picture, no link, and
 * nobody is mentioned by it. CommonMark lets ASCII punctuation be escaped (0.31, section 2.4); what GitHub
 * links besides (`@name`, `#7`, `GH-7`, addresses) it finds in the text itself.
 */
export function proseOf(text: string, longest = LONGEST): string {
  const line = oneLine(text, longest);
  return line
    .replace(/[\\`*_[\]{}()#+\-!|~$=^<>&@]/g, (sign) => ENTITIES[sign] ?? `\\${sign}`)
    .replace(/^(\d+)\./, "$1\\.")
    .replace(/\\@/g, `\\@${JOINER}`)
    .replace(/\\#/g, `\\#${JOINER}`)
    .replace(/GH\\-/gi, (found) => `${found}${JOINER}`)
    .replace(/:\/\//g, `:${JOINER}//`)
    .replace(/www\./gi, (found) => `${found.slice(0, -1)}${JOINER}.`);
}

const ENTITIES: Record<string, string> = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

/** Text as a code span, whatever backticks stand in it (CommonMark 0.31, section 6.1). */
export function codeOf(text: string, longest = LONGEST): string {
  const line = oneLine(text, longest);
  if (line === "") return "";
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longestRun + 1);
  // One space at both ends is taken away again; without it a backtick at an end would belong to the fence.
  const space = longestRun > 0 ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** Without what ends a line, hides or turns text around. */
function oneLine(text: string, longest: number): string {
  const line = text
    .slice(0, longest * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\s]+/gu, " ")
    .trim();
  const cut = [...line];
  return cut.length > longest ? `${cut.slice(0, longest).join("")}…` : line;
}
