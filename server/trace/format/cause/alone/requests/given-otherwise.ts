import { figureOf, hasNumber } from "../../figures.ts";
import { fillsBefore } from "../../filled.ts";
import { type Leaf, leavesOf } from "../../json-leaves.ts";
import type { Step } from "../../run-facts.ts";
import { answersBefore } from "../../select.ts";
import { requestBodyOf, SECRET, STORING } from "../../sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { lastOf, wantedBy } from "../../wanted.ts";
import { isForeign, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isReport } from "./reports.ts";
import { textOf } from "./unsaid.ts";

const MOST = 5;
const NUMBER = /^\p{Sc}?\s?\d[\d.,\s]*$/u;
/** How products count what a person gave: in other units, or as a part of one. */
const UNITS = [1, 100, 1_000, 60, 3_600, 24, 60_000, 1_024];

/** A number that was filled in, where the write that followed was sent with another one under the field's own name. */
export function detectGivenOtherwise(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const [write] = answersBefore(
    evidence,
    MOST,
    (one) =>
      STORING.has(one.method) &&
      one.type !== "api" &&
      !isBeside(one) &&
      !isReport(run, one) &&
      !isForeign(one.url, facts),
  ).toReversed();
  const action = write && facts.steps.findLast(({ kind, ts }) => kind === "agent.action" && ts <= write.ts);
  if (!write || !action) return [];
  const leaves = leavesOf(requestBodyOf(write, run));
  for (const step of fillsBefore(facts, action)) {
    const other = otherThan(step, leaves);
    if (!other || !isMet(evidence, other)) continue;
    return [
      {
        kind: "page_changed",
        title: `${requestOf(write, facts)} was sent with ${quoted(String(other.leaf.value), 40)} for ${quoted(other.leaf.path, 60)}, where the test had filled in ${quoted(other.text, 40)} for ${quoted(other.label, 40)}`,
        detail: null,
        step_id: step.step_id,
        events: [step.seq, write.requestSeq ?? write.seq],
        ts: write.ts,
        is_new: null,
        weight: 0.92,
        about: `body ${write.seq}`,
      },
    ];
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

/** The one number of a request that goes by a field's label, and is no form of what the field was given. */
function otherThan(step: Step, leaves: readonly Leaf[]): Other | null {
  const { selector } = step.params;
  const label = typeof selector === "string" ? wantedBy(lastOf(selector)).name : null;
  const text = textOf(step)?.trim() ?? "";
  if (label === null || !NUMBER.test(text)) return null;
  const given = numberIn(text);
  const named = leaves.filter(({ path }) => !SECRET.test(path) && bareName(path) === bareName(label));
  const [leaf] = named;
  const sent = leaf && named.length === 1 ? numberIn(String(leaf.value)) : null;
  if (!leaf || sent === null || given === null || given === 0 || sent === 0) return null;
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

/** `unitCents`, “Unit”. */
const bareName = (path: string): string =>
  path
    .split(".")
    .at(-1)!
    .replace(/_?cents$/i, "")
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toLowerCase();

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
