import { oneLine } from "../error-text.ts";

const MOST_TEXTS = 3_000;

/** What a field holds, or an element is called. */
const SAID = /<[^<>]*?\s(?:value|alt|aria-label)="([^"<>]{2,200})"[^<>]*/gi;

/** The texts of a page: between its tags, and what its fields hold. */
export function textsOf(html: string): string[] {
  return html
    .replace(/<(script|style|noscript|template)\b[\s\S]*?<\/\1>/gi, " ")
    .replace(SAID, (tag, said) => (/\btype="?(?:hidden|password)/i.test(tag) ? tag : `<>${said}${tag}`))
    .split(/<[^>]*>/)
    .map((text) => oneLine(text.replace(/&(?:amp|nbsp|lt|gt|quot|#39);/g, " ")))
    .filter((text) => text.length > 1)
    .slice(0, MOST_TEXTS);
}
