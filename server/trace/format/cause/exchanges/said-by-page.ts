import { cut, oneLine } from "../../error-text.ts";
import { type SeenElement, viewOfHtml } from "../page/page-view.ts";
import { aroundOf, insideOf } from "../page/within.ts";

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
  const alert = textOf(({ role }) => role === "alert");
  const said =
    (alert && `${alert}${besideFields(seen, alert)}`) ||
    textOf(isOfErrors) ||
    (PAGE.test(html) && headedIn(html, textOf)) ||
    seen[0]?.text ||
    "";
  return said === "" ? null : cut(said, max);
}

const MOST_BESIDE = 2;
const FIELD = /^(?:input|select|textarea)$/;

/** What stands beside fields that were refused, with what these are called, where the alert of their form leaves that out; empty where nothing does. */
function besideFields(seen: readonly SeenElement[], alert: string): string {
  const messages = seen.filter(
    (one) =>
      !one.isHidden &&
      one.role !== "alert" &&
      one.text !== "" &&
      isOfErrors(one) &&
      !alert.includes(one.text),
  );
  const told = messages.slice(0, MOST_BESIDE).flatMap((message) => {
    const field = fieldBeside(message, seen);
    return field ? [field.name === "" ? message.text : `${field.name}: ${message.text}`] : [];
  });
  return told.length === 0 ? "" : ` (${told.join(", ")})`;
}

/** The one field that stands in the nearest part of a page around a message; undefined where none or several do. */
function fieldBeside(message: SeenElement, seen: readonly SeenElement[]): SeenElement | undefined {
  for (const around of aroundOf(seen, message)) {
    const [field, ...more] = insideOf(seen, around).filter(
      ({ tag, attributes, isHidden }) => FIELD.test(tag) && attributes.type !== "hidden" && !isHidden,
    );
    if (field) return more.length === 0 ? field : undefined;
  }
  return undefined;
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
