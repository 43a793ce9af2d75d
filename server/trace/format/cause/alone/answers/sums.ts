import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figureOf } from "../../values/figures.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { listsIn } from "../../values/lists.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
/** Items of a list that a page sums up. */
const FEWEST = 2;
const MOST_ITEMS = 200;
const MOST_NAMES = 40;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A wrong sum with the list that it was made of: one of its numbers is nothing, or a script joined all of them as texts. */
export function detectWrongSum(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  const [wanted, met] = [figureOf(want), figureOf(got)].map((figure) => figure && Number(figure.text));
  const isNoNumber = met === null && NO_NUMBER.test(got);
  if (wanted == null || !(met != null || isNoNumber) || wanted === met) return [];
  const answers = answersBefore(evidence, MOST, ({ type }) => /^(?:xhr|fetch)$/.test(type ?? ""));
  for (const one of answers.toReversed())
    for (const { path, items } of listsIn(jsonOf(bodyOf(one, run.bodies) ?? ""))) {
      const things = items.slice(0, MOST_ITEMS).filter(isRecord);
      if (things.length < FEWEST || things.length < items.length) continue;
      for (const name of Object.keys(things[0]!).slice(0, MOST_NAMES)) {
        const values = things.map((item) => item[name]);
        const words =
          met == null
            ? unsummed(values, wanted)
            : (joined(values, { wanted, got }) ??
              joinedNumbers(values, { wanted, got }) ??
              withNothing(values, met));
        if (words === null) continue;
        const place = `${path === "" ? "" : `${path}.`}${words.at}.${name}`;
        return [
          answerFinding(
            evidence,
            one,
            `${requestOf(one, run.facts)} answered ${quoted(words.value, 40)} for ${quoted(place, 80)}${words.words} ${quoted(got, 60)}; the test wants ${quoted(want, 60)}`,
            0.94,
          ),
        ];
      }
    }
  return [];
}

interface Words {
  at: number;
  value: string;
  words: string;
}

/** Numbers that are texts, and stand one after the other in what the page shows: as they are, or each in another unit. */
function joined(values: readonly unknown[], { wanted, got }: { wanted: number; got: string }): Words | null {
  if (!values.every((value): value is string => typeof value === "string" && NUMBER.test(value))) return null;
  const sum = sumOf(values.map(Number));
  if (sum === 0) return null;
  const rate = wanted / sum;
  const row = values.map((value) => String(Math.round(Number(value) * rate * 100) / 100)).join("");
  const digits = (text: string) => text.replace(/\D/g, "").replace(/^0+/, "");
  return digits(got) === digits(row)
    ? {
        at: 0,
        value: values[0]!,
        words: " as a text, not as a number: the page joined these texts to",
      }
    : null;
}

/** Numbers that make what the test wants, and stand one after the other in what the page shows. */
function joinedNumbers(
  values: readonly unknown[],
  { wanted, got }: { wanted: number; got: string },
): Words | null {
  if (!values.every((value) => typeof value === "number") || sumOf(values) !== wanted) return null;
  return got.replace(/\D/g, "") === values.join("").replace(/\D/g, "")
    ? {
        at: 0,
        value: String(values[0]),
        words: ", and the page joined it and those of the other items as text to",
      }
    : null;
}

const NO_NUMBER = /\bNaN\b/;

/** Numbers that are texts, and make what the test wants: joined they have more than one point, which is no number. */
function unsummed(values: readonly unknown[], wanted: number): Words | null {
  if (!values.every((value): value is string => typeof value === "string" && NUMBER.test(value))) return null;
  const sum = sumOf(values.map(Number));
  return [sum, sum / 100].some((one) => Math.abs(one - wanted) < 0.005)
    ? {
        at: 0,
        value: values[0]!,
        words: " as text, not as a number: joined, such texts are no number, and the page shows",
      }
    : null;
}

/** One of several numbers that is nothing, where the page shows the sum of the others. */
function withNothing(values: readonly unknown[], met: number): Words | null {
  const numbers = values.filter((value) => typeof value === "number");
  const at = values.indexOf(null);
  if (at < 0 || numbers.length < FEWEST || numbers.length !== values.length - 1) return null;
  const sum = sumOf(numbers);
  return [sum, sum / 100].some((one) => Math.abs(Math.abs(one) - met) < 0.005)
    ? {
        at,
        value: "null",
        words: ", where its other items have numbers: the page shows the sum of those,",
      }
    : null;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
