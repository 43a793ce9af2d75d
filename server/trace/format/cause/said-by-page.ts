import { cut, oneLine } from "../error-text.ts";
import { type SeenElement, viewOfHtml } from "./page-view.ts";

/** What says that something went wrong stands near the top of what is answered for it. */
const READ = 100_000;

const PAGE = /^<(?:!doctype|html|\?xml|head|body|h1|pre)/i;
const OF_ERRORS = /(?:^|[\s_-])(?:errors?|errorlist|invalid|danger|alert)(?:$|[\s_-])/i;

/**
 * What markup of an error says: its alert, or what stands beside a field that was refused; else of a page its heading
 * with the sentence below it, which tells what the heading (“Forbidden”) only names; else all its text.
 */
export function saidByPage(markup: string, max: number): string | null {
  const html = markup.slice(0, READ);
  const seen = viewOfHtml(`<body>${html}</body>`);
  const textOf = (isIt: (one: SeenElement) => boolean) =>
    seen.find((one) => !one.isHidden && one.text !== "" && isIt(one))?.text ?? "";
  const said =
    textOf(({ role }) => role === "alert") ||
    textOf(isOfErrors) ||
    (PAGE.test(html) && headedIn(html, textOf)) ||
    seen[0]?.text ||
    "";
  return said === "" ? null : cut(said, max);
}

/** A form says what was wrong beside its field. What only holds others says nothing itself, lists aside. */
const isOfErrors = ({ tag, own, attributes }: SeenElement): boolean =>
  (tag === "ul" || (own.length > 2 && tag !== "textarea")) &&
  (OF_ERRORS.test(attributes.class ?? "") || OF_ERRORS.test(attributes.id ?? ""));

function headedIn(html: string, textOf: (isIt: (one: SeenElement) => boolean) => string): string {
  const inside = (pattern: RegExp) =>
    oneLine((pattern.exec(html)?.[1] ?? "").replace(/<br[^<>]*>[\s\S]*/i, "").replace(/<[^<>]*>/g, " "));
  const heading = textOf(({ tag }) => tag === "h1") || inside(/<title[^<>]*>([\s\S]{1,2000}?)<\/title>/i);
  // Below the first line that is printed stands where it was thrown.
  const below = inside(/<pre[^<>]*>([\s\S]{1,2000}?)<\/pre>/i) || textOf(({ tag }) => tag === "p");
  return below.includes(heading) ? below : [heading, below].filter((part) => part !== "").join(": ");
}
