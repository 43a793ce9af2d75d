import { type ActShots, isDoneBefore, type Outline, outlineOf, wasIdle } from "../format/cause/page/acts.ts";
import { fillsBefore, refilledBefore } from "../format/cause/page/filled.ts";
import { isSameText, shownAt } from "../format/cause/page/shown-by.ts";
import { targetOf } from "../format/cause/page/target.ts";
import type { PageShot, RunFacts, Step } from "../format/cause/run/run-facts.ts";
import type { Act, Failed, SeenPage } from "../format/cause/types.ts";
import { bareOf, pathOf } from "../format/cause/words.ts";
import type { SnapshotTree } from "../format/playwright/snapshot-tree.ts";

/** Where the pictures of one run's actions are read. */
export interface ActSource {
  facts: RunFacts;
  shots: readonly ActShots[];
  /** A picture alone, without those that it refers to; null when there is none. */
  own(shot: PageShot): Promise<SnapshotTree | null>;
  see(shot: PageShot): Promise<SeenPage | null>;
}

/**
 * The actions of a run, and the same of its passes, with the pages that they met, as far as these may tell something: an
 * action found another thing than in a pass, went by an id that may stand twice, typed, came while the failed step waited,
 * had nothing to tick, met a field without what had filled it, or one without a name, left a text as it was, or was the last one and
 * pressed a button that sends its form for want of a type, or changed what the page's address asks for. A page is large, and most actions went as ever, which their own pictures
 * tell.
 * @param known pages of the run that were read already
 * @returns of the run, then of each pass
 */
export async function readActs(
  failed: Failed,
  run: ActSource,
  passes: readonly ActSource[],
  known: readonly SeenPage[],
): Promise<[Act[], ...Act[][]]> {
  const wanted = new Set<number>();
  for (const shots of run.shots)
    if (
      isDuring(failed, shots.step) ||
      isBeforeEnter(run.facts, shots.step) ||
      (await mayTell(shots, run, passes, known))
    )
      wanted.add(shots.of);
  const last = run.shots.findLast(({ step }) => isDoneBefore(failed, step));
  if (last && hasRefilled(run, last, await pageOf(run, last, known))) wanted.add(last.of);
  if (passes.length > 0 && known.length > 1 && stoodStill(failed, known))
    for (const { of } of run.shots.filter(({ step }) => isDoneBefore(failed, step)).slice(-MOST_LOOKED_BACK))
      wanted.add(of);
  if (last && passes.length === 0 && (await outlineIn(run, last))?.isUntyped) wanted.add(last.of);
  if (last && passes.length === 0 && known.some(({ shot }) => isAskedOtherwise(last.met, shot)))
    wanted.add(last.of);
  const mine = await actsOf(run, wanted);
  const theirs: Act[][] = [];
  for (const pass of passes) theirs.push(await actsOf(pass, wanted));
  return [mine, ...theirs];
}

/** How many actions back it is looked when a text became another one than in the passes. */
const MOST_LOOKED_BACK = 5;

/** Whether one page is the other at an address that asks for something else: what it lists is another part, or in another order. */
const isAskedOtherwise = (one: PageShot, other: PageShot): boolean =>
  pathOf(one.url) === pathOf(other.url) && one.url !== other.url;

/** Whether the text that the failed step met stood on each of the pages. */
function stoodStill(failed: Failed, known: readonly SeenPage[]): boolean {
  const [got, target] = [bareOf(failed.received ?? ""), targetOf({ failed })];
  return got !== "" && known.every((page) => shownAt(page, target).some((one) => isSameText(one, got)));
}

/** Whether an action was done while another step waited for what it brings about. */
const isDuring = ({ from, step }: Failed, { ts, seq }: Step): boolean => ts >= from && seq !== step?.seq;

/** Whether the next that was done is the Enter key, which presses a button of the form that the action was in. */
const isBeforeEnter = ({ steps }: RunFacts, { seq }: Step): boolean =>
  steps.find((one) => one.seq > seq && one.kind === "agent.action")?.params.key === "Enter";

const hasRefilled = ({ facts }: ActSource, { step }: ActShots, page: SeenPage | null): boolean =>
  page !== null && refilledBefore(facts, step, page).length > 0;

/** The page that an action met, where anything was filled in before it. */
async function pageOf(
  { facts, see }: ActSource,
  { step, met }: ActShots,
  known: readonly SeenPage[],
): Promise<SeenPage | null> {
  const page = known.find(({ shot }) => shot.seq === met.seq);
  return page ?? (fillsBefore(facts, step).length > 0 ? await see(met) : null);
}

async function mayTell(
  shots: ActShots,
  run: ActSource,
  passes: readonly ActSource[],
  known: readonly SeenPage[],
): Promise<boolean> {
  if (shots.left !== null || wasIdle(shots)) return true;
  const mine = await outlineIn(run, shots);
  if (!mine) return false;
  if (mine.isNameless && passes.length === 0) return true;
  if (mine.fieldId !== null && !standsOnce(mine.fieldId, shots, known)) return true;
  for (const pass of passes) {
    const same = pass.shots.find(({ of }) => of === shots.of);
    const other = same && (await outlineIn(pass, same));
    if (other && other.chain !== mine.chain) return true;
  }
  return false;
}

/** Whether a page that is known tells that an id stands once. */
function standsOnce(id: string, { met }: ActShots, known: readonly SeenPage[]): boolean {
  const page = known.find(({ shot }) => shot.url === met.url && shot.page === met.page);
  return page?.elements.filter(({ attributes }) => attributes.id === id).length === 1;
}

async function outlineIn({ own }: ActSource, shots: ActShots): Promise<Outline | null> {
  const page = await own(shots.met);
  return page && outlineOf(page.root, shots);
}

async function actsOf({ shots, see }: ActSource, wanted: ReadonlySet<number>): Promise<Act[]> {
  const found: Act[] = [];
  for (const { of, step, met, left } of shots) {
    const page = wanted.has(of) ? await see(met) : null;
    if (page) found.push({ step, met: page, left: left && (await see(left)) });
  }
  return found;
}
