import { writtenIn } from "../../page/field-values.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import { actionBefore, counterpart } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

const WEIGHT = 0.9;
/** More texts than these are other rows as a whole: another part of a list, or another list. */
const MOST_TEXTS = 12;

/** An action in one row of several that took another row off the page, and left its own, where every pass lost its own. */
export function detectTookAnother(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { before, page } = run;
  const action = actionBefore(run.facts, failed);
  const isOnOnePage = passes.every((pass) => addressOf(pass) === addressOf(run));
  if (!action || !before || !page || passes.length === 0 || !isOnOnePage) return [];
  const theirs = passes.map((pass) => textsOf(pass.page!, pass));
  const isUsual = passes.every((pass) => counterpart(run.facts, action, pass.facts)?.isFailed === false);
  const mine = textsOf(page, run);
  const stood = before.elements.flatMap((one) => textOf(one, run) ?? []);
  const lost = stood.filter((text) => !mine.has(text) && theirs.every((texts) => texts.has(text)));
  const left = stood.filter((text) => mine.has(text) && !theirs.some((texts) => texts.has(text)));
  const areFew = [lost, left].every(({ length }) => length > 0 && length <= MOST_TEXTS);
  const own = areFew && isUsual ? rowOf(before, run, { lost, left }) : null;
  if (own === null) return [];
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(action)} took ${quoted(own.lost, 60)} off the page and left ${quoted(own.left, 60)}, the row that it stands in and that it took off in the last pass${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, page.shot.seq, ...(script === null ? [] : [script.seq])],
      ts: action.end,
      is_new: true,
      weight: WEIGHT,
      about: `took ${action.seq}`,
    },
  ];
}

const addressOf = ({ facts, page }: RunEvidence): string | null =>
  page && facts.normaliser.url(page.shot.url);

/** What it says itself, or holds: words alone tell one row from another. */
function textOf(one: SeenElement, { facts }: RunEvidence): string | null {
  const text = one.isHidden ? "" : writtenIn(one) || one.own;
  return /\p{L}{3}/u.test(text) ? facts.normaliser.text(text) : null;
}

const textsOf = ({ elements }: SeenPage, run: RunEvidence): ReadonlySet<string> =>
  new Set(elements.flatMap((one) => textOf(one, run) ?? []));

/** The text of the row in which the action was done, of those that were left, and the one of the same form that is lost. */
function rowOf(
  { elements }: SeenPage,
  run: RunEvidence,
  { lost, left }: { lost: string[]; left: string[] },
): { lost: string; left: string } | null {
  const pressed = elements.find(({ foundBy }) => foundBy !== undefined);
  const texts = new Map(elements.map((one) => [one, textOf(one, run) ?? ""]));
  const saysOneOf = (one: SeenElement, some: readonly string[]) => some.includes(texts.get(one) ?? "");
  for (const row of pressed ? aroundOf(elements, pressed) : []) {
    const inside = insideOf(elements, row);
    const kept = inside.find((one) => saysOneOf(one, left));
    if (!kept) continue;
    if (inside.some((one) => saysOneOf(one, lost))) return null;
    const gone = elements.find((one) => isOfForm(one, kept) && saysOneOf(one, lost));
    return gone ? { lost: texts.get(gone)!, left: texts.get(kept)! } : null;
  }
  return null;
}

const isOfForm = (one: SeenElement, { tag, role, depth }: SeenElement): boolean =>
  one.tag === tag && one.role === role && one.depth === depth;
