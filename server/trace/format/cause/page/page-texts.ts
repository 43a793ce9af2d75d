import { oneLine } from "../../error-text.ts";

const MOST_TEXTS = 3_000;

/** What a field holds, or an element is called. */
const SAID = /<[^<>]*?\s(?:value|alt|aria-label)="([^"<>]{2,200})"[^<>]*/gi;

/** The texts of a page: between its tags, and what its fields hold. Of one letter they are mostly signs. */
export function textsOf(html: string, shortest = 2): string[] {
  return withoutUnseen(html)
    .replace(SAID, (tag, said) => (/\btype="?(?:hidden|password)/i.test(tag) ? tag : `<>${said}${tag}`))
    .split(/<[^<>]*>/)
    .map((text) => oneLine(text.replace(/&(?:amp|nbsp|lt|gt|quot|#39);/g, " ")))
    .filter((text) => text.length >= shortest)
    .slice(0, MOST_TEXTS);
}

/** A page without what nobody reads of it. What is not closed goes on to its end, as in browsers. */
function withoutUnseen(html: string): string {
  let within: string | null = null;
  return html
    .split(UNSEEN)
    .filter((part, at) => {
      // Every other part is a tag.
      if (at % 2 === 0) return within === null;
      const name = /\w+/.exec(part)![0].toLowerCase();
      const isEnd = part.startsWith("</");
      if (within === null && !isEnd) within = name;
      else if (within === name && isEnd) within = null;
      return false;
    })
    .join(" ");
}

const UNSEEN = /(<\/?(?:script|style|noscript|template)\b[^<>]*>)/i;
