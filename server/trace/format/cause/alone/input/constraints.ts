import { SECRET } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { nameOf } from "../../page/written.ts";
import { quoted } from "../../words.ts";
import { allows } from "./pattern.ts";

/** Pages keep so much of a value, and of an attribute. */
const KEPT = 300;
/** What browsers ask nothing of, or nobody sees. */
const BARRED = /^(?:hidden|button|reset|submit|image|file|color|range)$/;
const TEXTS = /^(?:text|search|url|tel|email|password|textarea)$/;
/** Of the times that fields hold, how much can be compared letter by letter. */
const TIMES: Record<string, [form: RegExp, length: number]> = {
  date: [/^\d{4}-\d\d-\d\d$/, 10],
  month: [/^\d{4}-\d\d$/, 7],
  week: [/^\d{4}-W\d\d$/, 8],
  time: [/^\d\d:\d\d/, 5],
  "datetime-local": [/^\d{4}-\d\d-\d\dT\d\d:\d\d/, 16],
};
const PLAIN = new Set(["number", "checkbox", "radio", ...Object.keys(TIMES)]);
/** By the HTML standard. */
const EMAIL =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;

/** What a field holds. */
export interface Held {
  /** Null where it is not known. */
  value: string | null;
  /** Browsers ask only of what a person typed how long it is. */
  isTyped: boolean;
  /** Whether it, or of a group of options another one, is ticked. */
  isTicked: boolean;
  /** What it held as the page was sent; null where that is not known. */
  served: string | null;
}

/** Which of its own limits a field does not keep, as what a sentence says of it; null where it keeps them, or nobody can tell. */
export function refusalOf(field: SeenElement, held: Held): string | null {
  const { attributes: of } = field;
  const type = typeOf(field);
  if (BARRED.test(type) || "disabled" in of || "readonly" in of) return null;
  const { value, isTicked } = held;
  if (type === "checkbox" || type === "radio")
    return !("required" in of) || isTicked
      ? null
      : type === "checkbox"
        ? "must be ticked and is not"
        : "needs one of its options, and none is picked";
  if (value === null || value.length >= KEPT) return null;
  // What emptied a field that the test had filled says more.
  if (value === "") return "required" in of && !held.isTyped ? "is required and empty" : null;
  const limit = brokenLimit(field, value, held);
  if (limit === null) return null;
  const isSecret =
    type === "password" || [nameOf(field), of.name, of.id].some((one) => SECRET.test(one ?? ""));
  return `has ${isSecret ? "a value" : quoted(value, 60)}, which ${limit}`;
}

/** The kind of a field; browsers take a kind that they do not know for a text. */
function typeOf({ tag, attributes }: SeenElement): string {
  if (tag !== "input") return tag;
  const type = attributes.type?.toLowerCase() ?? "";
  return TEXTS.test(type) || BARRED.test(type) || PLAIN.has(type) ? type : "text";
}

function brokenLimit(
  field: SeenElement,
  value: string,
  { isTyped, served }: Pick<Held, "isTyped" | "served">,
): string | null {
  const { attributes: of } = field;
  const type = typeOf(field);
  if (!TEXTS.test(type))
    return type === "number" ? outOfNumbers(of, value, served) : outOfTimes(type, of, value);
  if ("multiple" in of) return null;
  if (type === "email" && /^[ -~]*$/.test(value) && !EMAIL.test(value)) return "is no e-mail address";
  if (type === "url" && URL.parse(value) === null) return "is no whole address (URL)";
  const { pattern } = of;
  if (type !== "textarea" && pattern && pattern.length < KEPT && allows(pattern, value) === false)
    return `its pattern ${pattern} does not allow`;
  if (!isTyped) return null;
  const [least, most] = [numberIn(of.minlength), numberIn(of.maxlength)];
  if (least !== null && value.length < least) return `is shorter than its minlength ${least}`;
  return most !== null && most >= 0 && value.length > most ? `is longer than its maxlength ${most}` : null;
}

/** @param served what the field held as the page was sent: without a least number steps begin at that one, or at 0 (HTML, 4.10.5.3.8) */
function outOfNumbers(
  { min, max, step }: SeenElement["attributes"],
  value: string,
  served: string | null,
): string | null {
  const [number, least, most] = [numberIn(value), numberIn(min), numberIn(max)];
  if (number === null) return null;
  if (least !== null && number < least) return `is less than its min ${least}`;
  if (most !== null && number > most) return `is more than its max ${most}`;
  const from = least ?? (served === null ? null : (numberIn(served) ?? 0));
  if (from === null || step?.toLowerCase() === "any") return null;
  const given = numberIn(step);
  const width = given !== null && given > 0 ? given : 1;
  const steps = (number - from) / width;
  if (Math.abs(steps - Math.round(steps)) <= 1e-6) return null;
  return `its step ${width} from ${from} does not allow${step === undefined ? " (it has no attribute “step”)" : ""}`;
}

function outOfTimes(type: string, { min, max }: SeenElement["attributes"], value: string): string | null {
  const known = TIMES[type];
  if (!known) return null;
  const [form, length] = known;
  const [time, least, most] = [value, min, max].map((one) =>
    one !== undefined && form.test(one) ? one.slice(0, length) : null,
  ) as [string | null, string | null, string | null];
  // Hours may go past midnight.
  if (time === null || (least !== null && most !== null && least > most)) return null;
  if (least !== null && time < least) return `is before its min ${min}`;
  return most !== null && time > most ? `is after its max ${max}` : null;
}

const numberIn = (text: string | undefined): number | null =>
  text !== undefined && /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
