import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bareOf, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
/** Of an amount with what stands around it. */
const LONGEST = 200;
const LOCALE = /(?:^|[._])(?:lang|language|locale|culture|region)$/i;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** Of a currency, by sign or by code. */
const SIGN = new RegExp(`\\p{Sc}|\\b(?:${[...CURRENCIES].join("|")})\\b`, "u");

/** The currency or the language of an answer by which the page wrote the amount that the test met, where it wants another. */
export function detectWrittenBy(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [bareOf(failed.expected ?? ""), bareOf(failed.received ?? "")];
  if (![want, got].every((text) => /\d/.test(text) && text.length <= LONGEST)) return [];
  // It explains a sign in the place of another sign, and a number that is written otherwise; of a date neither.
  const hasOtherSign = SIGN.test(want);
  const hasOtherForm = isSameNumber(want, got);
  if (!hasOtherSign && !hasOtherForm) return [];
  const [isOfWanted, isOfMet] = [createWriter(want), createWriter(got)];
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const named = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).flatMap(codeOf);
    // Of a list of currencies none says which of them a page writes by.
    const known = new Set(named.filter(({ code }) => isOfWanted(code)).map(isCurrency));
    const leaf = named.find(
      (one) =>
        (isCurrency(one) ? hasOtherSign : hasOtherForm) && isOfMet(one.code) && !known.has(isCurrency(one)),
    );
    if (leaf === undefined) continue;
    return [
      {
        kind: "answer_changed",
        title: `${requestOf(one, run.facts)} answered ${quoted(leaf.code, 20)} for ${quoted(leaf.path, 80)}, by which the page writes ${quoted(got, 60)}; the test wants ${quoted(want, 60)}`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: failed.from,
        is_new: null,
        weight: 0.9,
        about: aboutUrl(one.url, run.facts, one.operation),
      },
    ];
  }
  return [];
}

const isCurrency = ({ code }: { code: string }): boolean => CURRENCIES.has(code);

/** What rates of exchange are told against, which no amount is written by. */
const OF_RATES = /(?:^|\.)(?:base|from|to|source|quote|target)(?:_?currency)?$/i;

/** `EUR`, `de-DE`; of a language alone the name has to say what it is. */
const codeOf = ({ path, value }: Leaf): { path: string; code: string }[] =>
  typeof value === "string" &&
  ((CURRENCIES.has(value) && !OF_RATES.test(path)) ||
    /^[a-z]{2}[-_][A-Z]{2}$/.test(value) ||
    (LOCALE.test(path) && /^[a-z]{2}$/.test(value)))
    ? [{ path, code: value }]
    : [];

/** Tells of a currency whether its sign stands in a text, and of a language whether the one number there has its form; each is looked at once. */
function createWriter(text: string): (code: string) => boolean {
  const known = new Map<string, boolean>();
  return (code) => {
    const before = known.get(code);
    if (before !== undefined) return before;
    const is = CURRENCIES.has(code) ? hasSignOf(code, text) : isNumberOf(code.replace("_", "-"), text);
    known.set(code, is);
    return is;
  };
}

/** Whether a value is the code of a currency by which an amount is written: by its sign, or the code itself. */
export const hasSignOf = (code: unknown, text: string): boolean =>
  typeof code === "string" && CURRENCIES.has(code) && signsOf(code).some((sign) => text.includes(sign));

function signsOf(currency: string): string[] {
  const signs = (["symbol", "narrowSymbol"] as const).flatMap((currencyDisplay) =>
    new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay })
      .formatToParts(0)
      .flatMap(({ type, value }) => (type === "currency" ? [value] : [])),
  );
  return [currency, ...signs];
}

/** A number with a fraction; parts of a date or of a version are none. */
const NUMBER = /(?<!\d[.,:/-]?)(?:\d{1,3}(?:[.,'’\s]\d{3})+[.,]\d{1,3}|\d+[.,]\d{1,2})(?![.,:/-]?\d)/g;

/** Whether both have one number, of the same digits in another form. */
function isSameNumber(want: string, got: string): boolean {
  const [wanted, ...others] = want.match(NUMBER) ?? [];
  const [met, ...rest] = got.match(NUMBER) ?? [];
  if (wanted === undefined || met === undefined || others.length + rest.length > 0) return false;
  return wanted !== met && wanted.replace(/\D/g, "") === met.replace(/\D/g, "");
}

function isNumberOf(locale: string, text: string): boolean {
  const [number, ...others] = text.match(NUMBER) ?? [];
  if (number === undefined || others.length > 0) return false;
  const decimals = /(?<!\d)\d+$/.exec(number)![0].length;
  const written = new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(Number(number.replace(/\D/g, "")) / 10 ** decimals);
  return written.replace(/\s/g, " ") === number.replace(/\s/g, " ");
}
