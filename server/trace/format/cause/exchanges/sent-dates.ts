import { exchangeKey, exchangesOf } from "../run/keys.ts";
import { answersBefore } from "../run/select.ts";
import type { Evidence } from "../types.ts";
import { quoted, requestOf } from "../words.ts";

const MOST = 60;
const DATE = /^\d{1,4}([./-])\d{1,2}\1\d{1,4}$/;

/** A date that a request asked by in another form than in every pass, as a clause: what language a page is in decides how it writes one. */
export function dateSentOtherwise(evidence: Evidence): string | null {
  const { run, passes } = evidence;
  for (const one of answersBefore(evidence, MOST, ({ url }) => url.includes("?"))) {
    const key = exchangeKey(one, run.facts);
    for (const [name, value] of paramsOf(one.url)) {
      if (!DATE.test(value)) continue;
      const theirs = passes.flatMap(({ facts }) =>
        exchangesOf(facts, key).flatMap(({ url }) => paramsOf(url).get(name) ?? []),
      );
      const [before] = theirs;
      const form = formOf(value);
      if (before === undefined || theirs.some((other) => !DATE.test(other) || formOf(other) === form))
        continue;
      return `${requestOf(one, run.facts).replace(/\?.*/s, "")} was sent with ${quoted(value, 40)} for ${quoted(name, 40)}, where the last pass sent ${quoted(before, 40)}`;
    }
  }
  return null;
}

const paramsOf = (url: string): Map<string, string> => new Map(URL.parse(url)?.searchParams ?? []);

/** Its signs, where its year stands, and whether short numbers have a zero before them; of numbers that are all long nothing tells. */
function formOf(date: string): string {
  const parts = date.split(/[./-]/);
  const year = parts.findIndex(({ length }) => length === 4);
  const padding = parts.some((part) => part.length === 1)
    ? "bare"
    : parts.some((part) => /^0\d$/.test(part))
      ? "padded"
      : "";
  return `${/[./-]/.exec(date)![0]} ${year} ${padding}`;
}
