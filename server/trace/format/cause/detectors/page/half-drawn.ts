import { oneLine } from "../../../error-text.ts";
import { isNamedByTest } from "../../exchanges/difference-rank.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";
import { countsOf } from "../answers/listed.ts";

const MOST = 30;
/** Of fewer things it is by chance that one is not shown. */
const FEWEST = 3;
/** A longer list is drawn in parts by most pages. */
const LONGEST = 200;
const DEEPEST = 5;
/** What things are called by. */
const NAMES = ["title", "name", "label", "subject", "text", "summary", "email", "description"];
/** Parts of a list that are looked through: the columns of a board. */
const MOST_PARTS = 3;

/** A page that shows the first things of a list that was answered, and not the one that the test looks for, where every pass shows all. */
export function detectHalfDrawn(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { page } = run;
  if (!page || passes.length === 0) return [];
  const answers = answersBefore(evidence, MOST, ({ type }) => /^(?:xhr|fetch)$/.test(type ?? ""));
  for (const one of answers.toReversed()) {
    const found = listsIn(one, evidence)
      .map((list) => ({ ...list, shown: shownOf(list, one, evidence) }))
      .find((list) => list.shown !== null);
    if (!found) continue;
    const { names, part } = found;
    const shown = found.shown!;
    const hidden = names.slice(shown);
    const sought = hidden.find((name) => isNamedByTest([name], evidence)) ?? hidden[0]!;
    return [
      {
        kind: "page_changed",
        title: `The page shows only the first ${shown} of the ${names.length} items${part ? ` of ${quoted(part.value, 40)}` : ""} that ${requestOf(one, run.facts)} answered with, and not ${quoted(sought, 80)}, where the last pass shows all: it leaves the rest of the list out, or draws it only when it is scrolled`,
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

/** The things of a list, or of the part of it that has one value in common. */
interface List {
  names: string[];
  part: { field: string; value: string } | null;
}

/** The list of an answer, and those parts of it that have as many things as the test counts. */
function listsIn(one: Exchange, evidence: Evidence): List[] {
  const items = itemsIn(one, evidence.run);
  const counts = countsOf(evidence);
  const whole: List = { names: namesOf(items), part: null };
  if (counts === null) return isNamedByTest(whole.names, evidence) ? [whole] : [];
  const parts = Object.keys(items[0] ?? {}).flatMap((field) =>
    [...Map.groupBy(items, (item) => item[field])].flatMap(([value, some]) =>
      typeof value === "string" && some.length >= FEWEST && isCountOf(counts, some.length, counts.got)
        ? [{ names: namesOf(some), part: { field, value } }]
        : [],
    ),
  );
  return [whole, ...parts.slice(0, MOST_PARTS)];
}

/** How many of the things a page shows, where these are the first ones and every pass shows all; null where it does not. */
function shownOf({ names, part }: List, one: Exchange, evidence: Evidence): number | null {
  const { run, passes } = evidence;
  const key = exchangeKey(one, run.facts);
  const found = [...drawnOn(run.page!, names)].find(([form, drawn]) => {
    const shown = drawn.size;
    const isCutOff = shown < names.length && names.slice(0, shown).every((name) => drawn.has(name));
    return (
      isCutOff && isSought(evidence, names, shown) && passes.every((pass) => isWholeIn(pass, key, form, part))
    );
  });
  return found ? found[1].size : null;
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
function isWholeIn(pass: RunEvidence, key: string, form: string, part: List["part"]): boolean {
  const { page } = pass;
  const names =
    page &&
    exchangesOf(pass.facts, key)
      .filter(({ ts }) => ts <= page.shot.ts)
      .map((one) => namesOf(itemsIn(one, pass).filter((item) => !part || item[part.field] === part.value)))
      .findLast((all) => all.length > 0);
  return !!names && drawnOn(page, names).get(form)?.size === names.length;
}

/** Of the things of a list those that stand on the page in elements of one form: a name in the head of the page, or in a chart, is another one. */
function drawnOn({ elements }: SeenPage, names: readonly string[]): Map<string, Set<string>> {
  const byForm = new Map<string, Set<string>>();
  for (const { tag, depth, own, isHidden } of elements) {
    const text = isHidden ? "" : oneLine(own);
    const name = text === "" ? undefined : longestIn(text, names);
    const form = `${tag} ${depth}`;
    if (name !== undefined) byForm.set(form, (byForm.get(form) ?? new Set()).add(name));
  }
  return byForm;
}

/** Of “Row 1” and “Row 10” it is the latter that “Row 10” says. */
const longestIn = (text: string, names: readonly string[]): string | undefined =>
  names.reduce<string | undefined>(
    (best, name) => (text.includes(name) && name.length > (best?.length ?? 0) ? name : best),
    undefined,
  );

/** The things of the first long list of an answer. */
const itemsIn = (one: Exchange, { bodies }: RunEvidence): Record<string, unknown>[] =>
  listIn(jsonOf(bodyOf(one, bodies) ?? ""), 0) ?? [];

/** What things are called by; none where two go by one name. */
function namesOf(items: readonly Record<string, unknown>[]): string[] {
  const names = items.map(nameOf);
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
