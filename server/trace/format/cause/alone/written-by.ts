import { jsonOf, type Leaf, leavesOf } from "../json-leaves.ts";
import { answersBefore } from "../select.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, bareOf, bodyOf, quoted, requestOf } from "../words.ts";

const MOST = 60;
const LOCALE = /(?:^|[._])(?:lang|language|locale|culture|region)$/i;
const CURRENCY = /(?:^|[._])\w*currency(?:_?code)?$/i;
/** Currencies of which an answer may have many: a page writes by one. */
const FEW = 2;

/** The currency or the language of an answer by which the page wrote what the test met, where the test wants another. */
export function detectWrittenBy(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  if (failed.expected === null || failed.received === null) return [];
  const [want, got] = [bareOf(failed.expected), bareOf(failed.received)];
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const named = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).filter(isNamed);
    if (new Set(named.map(({ value }) => value)).size > FEW) continue;
    const leaf = named.find(
      ({ value }) => isWrittenBy(String(value), got) && !isWrittenBy(String(value), want),
    );
    if (leaf === undefined) continue;
    return [
      {
        kind: "answer_changed",
        title: `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 20)} for ${quoted(leaf.path, 80)}, by which the page writes ${quoted(got, 60)}; the test wants ${quoted(want, 60)}`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: failed.from,
        is_new: null,
        weight: 1,
        about: aboutUrl(one.url, run.facts, one.operation),
      },
    ];
  }
  return [];
}

const isNamed = ({ path, value }: Leaf): boolean =>
  typeof value === "string" &&
  ((CURRENCY.test(path) && /^[A-Z]{3}$/.test(value)) ||
    (LOCALE.test(path) && /^[a-z]{2}(?:[-_][A-Z]{2})?$/.test(value)));

/** Whether a text has the sign of that currency, or the one number in it the form of that language. */
function isWrittenBy(code: string, text: string): boolean {
  return /^[A-Z]{3}$/.test(code)
    ? signsOf(code).some((sign) => text.includes(sign))
    : isNumberOf(code.replace("_", "-"), text);
}

function signsOf(currency: string): string[] {
  const signs = (["symbol", "narrowSymbol"] as const).flatMap((currencyDisplay) =>
    new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay })
      .formatToParts(0)
      .flatMap(({ type, value }) => (type === "currency" ? [value] : [])),
  );
  return [...new Set([currency, ...signs])];
}

const NUMBER = /\d{1,3}(?:[.,'’\s]\d{3})+[.,]\d{1,3}|\d+[.,]\d{1,2}/g;

function isNumberOf(locale: string, text: string): boolean {
  const [number, ...others] = text.match(NUMBER) ?? [];
  if (number === undefined || others.length > 0) return false;
  const decimals = /\d+$/.exec(number)![0].length;
  const value = Number(number.replace(/\D/g, "")) / 10 ** decimals;
  const written = new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);
  return written.replace(/\s/g, " ") === number.replace(/\s/g, " ");
}
