import { oneLine } from "../../../error-text.ts";
import { isNamedByTest } from "../../difference-rank.ts";
import { isRecord } from "../../differences.ts";
import { jsonOf } from "../../json-leaves.ts";
import { exchangeKey, exchangesOf } from "../../keys.ts";
import type { Exchange } from "../../run-facts.ts";
import { answersBefore } from "../../select.ts";
import type { Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";
import { countsOf } from "../answers/listed.ts";

const MOST = 30;
/** Of fewer things it is by chance that one is not shown. */
const FEWEST = 3;
/** A longer list is drawn in parts by most pages. */
const LONGEST = 200;
const DEEPEST = 5;
/** What things are called by. */
const NAMES = ["title", "name", "label", "subject", "text", "summary", "email"];

/** A page that shows the first things of a list that was answered, and not the one that the test looks for, where every pass shows all. */
export function detectHalfDrawn(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { page } = run;
  if (!page || passes.length === 0) return [];
  const answers = answersBefore(evidence, MOST, ({ type }) => /^(?:xhr|fetch)$/.test(type ?? ""));
  for (const one of answers.toReversed()) {
    const key = exchangeKey(one, run.facts);
    const names = thingsIn(one, run);
    if (countsOf(evidence) === null && !isNamedByTest(names, evidence)) continue;
    const found = [...drawnOn(page, names)].find(([form, drawn]) => {
      const shown = drawn.size;
      const isCutOff = shown < names.length && names.slice(0, shown).every((name) => drawn.has(name));
      return (
        isCutOff && isSought(evidence, names, shown) && passes.every((pass) => isWholeIn(pass, key, form))
      );
    });
    if (!found) continue;
    const shown = found[1].size;
    const hidden = names.slice(shown);
    const sought = hidden.find((name) => isNamedByTest([name], evidence)) ?? hidden[0]!;
    return [
      {
        kind: "page_changed",
        title: `The page shows only the first ${shown} of the ${names.length} items that ${requestOf(one, run.facts)} answered with, and not ${quoted(sought, 80)}, where the last pass shows all: it leaves the rest of the list out, or draws it only when it is scrolled`,
        detail: null,
        step_id: failed.step?.step_id ?? null,
        events: [page.shot.seq, one.seq],
        ts: failed.to,
        is_new: true,
        weight: 0.88,
        about: `drawn ${one.seq}`,
      },
    ];
  }
  return [];
}

function isSought(evidence: Evidence, names: readonly string[], shown: number): boolean {
  const counts = countsOf(evidence);
  return counts ? isCountOf(counts, names.length, shown) : isNamedByTest(names.slice(shown), evidence);
}

/** Rows beside those of things: a head, and what stands for the ones that are left out. */
const MOST_BESIDE = 2;

/** Whether the test wants as many elements as there are things, and met as many as are drawn, with the same few beside them and one for the rest. */
function isCountOf({ want, got }: { want: number; got: number }, things: number, shown: number): boolean {
  const [usual, now] = [want - things, got - shown];
  return usual >= 0 && usual <= MOST_BESIDE && (now === usual || now === usual + 1) && got < want;
}

/** Whether the page of a pass shows in elements of that form all that was answered to it. */
function isWholeIn(pass: RunEvidence, key: string, form: string): boolean {
  const { page } = pass;
  const names =
    page &&
    exchangesOf(pass.facts, key)
      .filter(({ ts }) => ts <= page.shot.ts)
      .map((one) => thingsIn(one, pass))
      .findLast((all) => all.length > 0);
  return !!names && drawnOn(page, names).get(form)?.size === names.length;
}

/** Of the things of a list those that stand on the page in elements of one form: a name in the head of the page, or in a chart, is another one. */
function drawnOn({ elements }: SeenPage, names: readonly string[]): Map<string, Set<string>> {
  const byForm = new Map<string, Set<string>>();
  for (const { tag, depth, own, isHidden } of elements) {
    const text = isHidden ? "" : oneLine(own);
    const name = text === "" ? undefined : names.find((one) => text.includes(one));
    const form = `${tag} ${depth}`;
    if (name !== undefined) byForm.set(form, (byForm.get(form) ?? new Set()).add(name));
  }
  return byForm;
}

/** What the things of the first long list of an answer are called by; none where two go by one name. */
function thingsIn(one: Exchange, { bodies }: RunEvidence): string[] {
  const list = listIn(jsonOf(bodyOf(one, bodies) ?? ""), 0) ?? [];
  const names = list.map(nameOf);
  const isTelling = names.every((name) => name !== null) && new Set(names).size === names.length;
  return isTelling ? (names as string[]) : [];
}

/** `{ title }`, or `{ user: { name } }` */
function nameOf(item: Record<string, unknown>): string | null {
  for (const of of [item, ...Object.values(item).filter(isRecord)]) {
    const name = NAMES.map((key) => of[key]).find(
      (value) => typeof value === "string" && value.trim().length > 2,
    );
    if (typeof name === "string") return oneLine(name);
  }
  return null;
}

function listIn(value: unknown, depth: number): Record<string, unknown>[] | null {
  if (Array.isArray(value))
    return value.length >= FEWEST && value.length <= LONGEST && value.every(isRecord) ? value : null;
  if (!isRecord(value) || depth > DEEPEST) return null;
  for (const inner of Object.values(value)) {
    const list = listIn(inner, depth + 1);
    if (list) return list;
  }
  return null;
}
