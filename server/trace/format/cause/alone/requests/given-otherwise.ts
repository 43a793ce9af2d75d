import { fillsBefore } from "../../page/filled.ts";
import type { Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figureOf, hasNumber } from "../../values/figures.ts";
import type { Leaf } from "../../values/json-leaves.ts";
import { quoted } from "../../words.ts";
import { type LastWrite, lastWrite, leafOfField, sentAnew } from "./last-write.ts";
import { textOf } from "./unsaid.ts";

const NUMBER = /^\p{Sc}?\s?\d[\d.,\s]*$/u;
/** How products count what a person gave: in other units, or as a part of one. */
const UNITS = [1, 100, 1_000, 60, 3_600, 24, 60_000, 1_024];

/** A number that was filled in, where the write that followed was sent with another one under the field's own name. */
export function detectGivenOtherwise(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const last = lastWrite(evidence);
  if (!last) return [];
  for (const step of fillsBefore(run.facts, last.action)) {
    const other = otherThan(step, last);
    if (!other || !(isMet(evidence, other) || (isCount(other) && isOtherFigure(evidence)))) continue;
    const how = `${quoted(String(other.leaf.value), 40)} for ${quoted(other.leaf.path, 60)}, where the test had filled in ${quoted(other.text, 40)} for ${quoted(other.label, 40)}`;
    return [{ ...sentAnew(last, run, step, how), weight: 0.92 }];
  }
  return [];
}

interface Other {
  label: string;
  text: string;
  given: number;
  leaf: Leaf;
  sent: number;
}

/** The one number of a write that goes by a field's label, and is no form of what the field was given. */
function otherThan(step: Step, last: LastWrite): Other | null {
  const text = textOf(step)?.trim() ?? "";
  const named = NUMBER.test(text) ? leafOfField(last, step) : null;
  if (!named) return null;
  const { label, leaf } = named;
  const [given, sent] = [numberIn(text), numberIn(String(leaf.value))];
  if (sent === null || given === null || given === 0 || sent === 0) return null;
  const ratio = sent / given;
  const isUnit = UNITS.some((unit) => [unit, 1 / unit].some((one) => Math.abs(ratio / one - 1) < 0.01));
  return isUnit && !isCents(leaf)
    ? null
    : isCents(leaf) && Math.abs(ratio - 100) < 0.01
      ? null
      : { label, text, given, leaf, sent };
}

/** Of what is counted in hundredths by its name it is known what it should be. */
const isCents = ({ path }: Leaf): boolean => /cents$/i.test(path);

const numberIn = (text: string): number | null => {
  const figure = NUMBER.test(text) || /^-?\d+(?:\.\d+)?$/.test(text) ? figureOf(text) : null;
  return figure === null ? null : Number(figure.text);
};

/** Whether the test wants what it gave, or met what was sent. */
function isMet({ failed }: Evidence, { given, sent, leaf }: Other): boolean {
  const [want, got] = [failed.expected ?? "", failed.received ?? ""];
  const shown = isCents(leaf) ? sent / 100 : sent;
  const isShown = (text: string) => hasNumber(text, shown) || hasAmount(text, shown);
  return (
    (hasNumber(want, given) && !hasNumber(got, given)) ||
    (isShown(got) && !isShown(want)) ||
    isOffBy(shown - given, want, got)
  );
}

const isCount = ({ given, sent, leaf }: Other): boolean =>
  Number.isInteger(given) && Number.isInteger(sent) && !isCents(leaf);

/** Whether the test met another figure than it wants, which may be worked out of what was sent. */
function isOtherFigure({ failed }: Evidence): boolean {
  const [wanted, met] = [figureOf(failed.expected ?? ""), figureOf(failed.received ?? "")];
  return wanted !== null && met !== null && wanted.text !== met.text;
}

/** Whether what the test met, such as a sum, is off by as much. */
function isOffBy(difference: number, want: string, got: string): boolean {
  const [wanted, met] = [figureOf(want), figureOf(got)];
  if (!wanted || !met || difference === 0) return false;
  return Math.abs(Number(met.text) - Number(wanted.text) - difference) < TINY;
}

/** Of sums of fractions. */
const TINY = 1e-6;

/** An amount has its hundredths, whatever they are. */
const hasAmount = (text: string, number: number): boolean =>
  (text.match(/(?<![\d.,])\d{1,9}[.,]\d\d(?![\d])/g) ?? []).some(
    (found) => Number(found.replace(",", ".")) === number,
  );
