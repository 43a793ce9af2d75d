import { cut, oneLine } from "../error-text.ts";
import { likenessTo } from "../similarity.ts";
import { counted } from "../words.ts";
import { isTold, partOfTree } from "./page/page-lines.ts";
import type { SeenElement } from "./page/page-view.ts";
import { targetOf } from "./page/target.ts";
import { counterpart, lastOf, stepKey } from "./run/select.ts";
import type { CauseContext, Evidence } from "./types.ts";
import { lapse, requestOf } from "./words.ts";

const LOG_LINES = 24;
const PENDING = 8;
const TREE_LINES = 60;
const LINE = 200;

/** What stands around a failure, for whoever reads on: an agent's prompt, a report. Bounded. */
export function contextOf(evidence: Evidence): CauseContext {
  const { failed, run, passes } = evidence;
  const there = passes.flatMap(({ page }) => page ?? [])[0];
  return {
    log: logOf(failed.step?.log ?? []),
    pending: pendingOf(evidence),
    url: run.page === null ? null : cut(oneLine(run.page.shot.url), 500),
    passing_url: there ? cut(oneLine(there.shot.url), 500) : null,
    divergence: divergenceOf(evidence),
    tree: run.page === null ? [] : treeOf(run.page.elements, targetOf(evidence)),
  };
}

/** The call log, what repeats told once. */
function logOf(log: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of log) counts.set(line, (counts.get(line) ?? 0) + 1);
  const lines = [...counts].map(
    ([line, times]) => `${cut(line, LINE)}${times > 1 ? ` (${times} times)` : ""}`,
  );
  return lines.length <= LOG_LINES ? lines : [...lines.slice(0, 4), "…", ...lines.slice(5 - LOG_LINES)];
}

function pendingOf({ run: { facts }, failed }: Evidence): string[] {
  return lastOf(
    facts.exchanges,
    PENDING,
    (one) => one.ts <= failed.to && one.error === null && (one.end === null || one.end > failed.to),
  ).map((one) => `${requestOf(one, facts)}, ${one.type ?? "request"}, open for ${lapse(failed.to - one.ts)}`);
}

/** The first step that the last pass has not, or did otherwise; null where there is no pass. */
function divergenceOf({ failed, run, passes }: Evidence): string | null {
  const pass = passes[0];
  if (!pass) return null;
  const telling = (facts: typeof run.facts) =>
    facts.steps.filter(
      ({ category }) => category !== "hook" && category !== "fixture" && category !== "pw:api",
    );
  const [mine, theirs] = [telling(run.facts), telling(pass.facts)];
  const at = mine.findIndex((step, index) => {
    const other = theirs[index];
    return (
      !other || stepKey(step, run.facts) !== stepKey(other, pass.facts) || step.isFailed !== other.isFailed
    );
  });
  if (at < 0) return null;
  const step = mine[at]!;
  const other = counterpart(run.facts, step, pass.facts);
  const took = other
    ? `; in the last pass it ${other.isFailed ? "failed" : "passed"} after ${lapse(other.end - other.ts)}`
    : "; the last pass has no such step";
  const isFailedOne = failed.step !== null && step.seq === failed.step.seq;
  const went = at === 0 ? "No step" : counted(at, "step");
  return `${went} went as in the last pass, then ${isFailedOne ? "the failed one" : "another"}: “${cut(oneLine(step.title), 160)}” ${step.isFailed ? "failed" : "passed"} after ${lapse(step.end - step.ts)}${took}.`;
}

/** What a screen reader would meet around the target: roles and names, in document order, indented by what stands in what. */
function treeOf(elements: readonly SeenElement[], target: string): string[] {
  const shown = elements.filter(isTold);
  const from =
    shown.length <= TREE_LINES
      ? 0
      : Math.max(0, Math.min(nearestTo(target, shown) - TREE_LINES / 2, shown.length - TREE_LINES));
  return partOfTree(shown, from, TREE_LINES);
}

/** Index of the element that is most like the target, the first of several; 0 where none is. */
function nearestTo(target: string, elements: readonly SeenElement[]): number {
  const said = target.replace(/getBy\w+|locator|name:/g, " ");
  const texts = elements.map(
    ({ role, name, own, attributes }) => `${role} ${name || own} ${attributes["data-testid"] ?? ""}`,
  );
  const words = said.toLowerCase().match(WORD) ?? [];
  const sharing = texts.map((text) => {
    const lower = text.toLowerCase();
    return words.some((word) => lower.includes(word));
  });
  // Pages have thousands of elements, and to compare each of them letter by letter takes longer than all else that is told here.
  const isComparable = sharing.includes(true) ? (at: number) => sharing[at]! : () => true;
  const likenessOf = likenessTo(said);
  let nearest = 0;
  let best = 0;
  for (const [at, text] of texts.entries()) {
    const likeness = isComparable(at) ? likenessOf(text) : 0;
    if (likeness > best) [best, nearest] = [likeness, at];
  }
  return nearest;
}

/** Of a target, what an element that is like it has most likely too. */
const WORD = /[\p{L}\p{N}]{3,}/gu;
