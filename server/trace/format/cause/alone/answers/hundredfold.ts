import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figureOf } from "../../values/figures.ts";
import { isIdAt, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isForeign, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const HUNDRED = 100;
/** What a small figure is rounded to says nothing of it. */
const ROUNDED = 0.01;
/** Figures with their unit: “€ 27.00”, “27.00 €”, “93.4 %”. */
const FORMS = [/\p{Sc}\s?\d[\d.,]{0,20}/u, /(?<![\d.,])\d[\d.,]{0,20}\s?(?:\p{Sc}|%)/u];

/** A figure that the page shows a hundred times as large as the test wants it, or a hundredth of it: what an answer has as it is wanted, and the page takes for another unit. */
export function detectHundredfold(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const texts = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  const form = FORMS.find((one) => one.test(texts[0]!));
  const [want, got] = texts.map((text) => form?.exec(text)?.[0]);
  const [wanted, shown] = [want, got].map((text) => Number((text && figureOf(text)?.text) ?? 0)) as [
    number,
    number,
  ];
  const times = factorOf(wanted, shown);
  if (!want || !got || times === null) return [];
  const answers = answersBefore(evidence, MOST, (one) => isRead(one, run) && !isForeign(one.url, run.facts));
  for (const one of answers.toReversed()) {
    const [leaf, ...others] = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).filter(
      ({ path, value }) => value === wanted && !isIdAt(path),
    );
    if (!leaf || others.length > 0) continue;
    const title = `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 30)} for ${quoted(leaf.path, 60)}, as the test wants, and the page shows ${times} that (${quoted(got, 30)}): it takes it for another unit, such as a fraction or cents`;
    return [answerFinding(evidence, one, title, 0.88)];
  }
  return [unitAlone(evidence, { want, got, times })];
}

function factorOf(wanted: number, shown: number): string | null {
  if (wanted === 0 || shown === 0) return null;
  const isAbout = (one: number, other: number) => Math.abs(one - other) <= ROUNDED * one;
  return isAbout(wanted * HUNDRED, shown)
    ? "a hundred times"
    : isAbout(wanted / HUNDRED, shown)
      ? "a hundredth of"
      : null;
}

const unitAlone = (
  { failed, run }: Evidence,
  { want, got, times }: { want: string; got: string; times: string },
): Finding => ({
  kind: "page_changed",
  title: `${targetOf({ failed }) || "The page"} shows ${quoted(got, 30)}, ${times} what the test wants (${quoted(want, 30)}): a number was taken as cents, or the like`,
  detail: null,
  step_id: failed.step?.step_id ?? null,
  events: [failed.step?.seq ?? run.facts.lastSeq ?? 0],
  ts: failed.from,
  is_new: null,
  weight: 0.5,
});
