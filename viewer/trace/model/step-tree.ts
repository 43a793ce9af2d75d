import type { StepSummary } from "../../../server/trace/format/summary.ts";
import { mapRows, type RowList } from "./row-list.ts";
import { createTable } from "./table.ts";

/** A row of the step list: a step, how deep it lies, and what is below it. */
export interface StepNode {
  step: StepSummary;
  depth: number;
  childCount: number;
  isCollapsed: boolean;
}

const MAX_DEPTH = 40;

/** Where the tree ends. */
const NONE = -1;

/** The steps below their parents, in order of appearance, without what lies below collapsed ones. */
export function toTree(
  steps: RowList<StepSummary>,
  collapsed: ReadonlySet<string>,
  isMatch: ((step: StepSummary) => boolean) | null,
): RowList<StepNode> {
  const parents = parentsOf(steps);
  const { first, next, counts } = childrenOf(parents);
  const wanted = isMatch ? withAncestors(steps, parents, isMatch) : null;
  const folded = collapsed.size > 0 && !wanted ? foldedOf(steps, collapsed) : null;
  const nodes = createTable<Node>({
    place: "near",
    depth: "number",
    childCount: "number",
    isCollapsed: "flag",
  });
  const seen = new Uint8Array(steps.length);
  const stack: { place: number; depth: number }[] = [{ place: first[steps.length] ?? NONE, depth: 0 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { place, depth } = top;
    if (place === NONE) continue;
    stack.push({ place: next[place] ?? NONE, depth });
    if (seen[place] === 1 || (wanted && wanted[place] !== 1)) continue;
    seen[place] = 1;
    const isCollapsed = folded?.[place] === 1;
    nodes.add({ place, depth: Math.min(depth, MAX_DEPTH), childCount: counts[place] ?? 0, isCollapsed });
    if (!isCollapsed) stack.push({ place: first[place] ?? NONE, depth: depth + 1 });
  }
  nodes.trim();
  return mapRows(nodes.list(), (node) => ({
    step: steps.at(node.place) as StepSummary,
    depth: node.depth,
    childCount: node.childCount,
    isCollapsed: node.isCollapsed,
  }));
}

interface Node extends Omit<StepNode, "step"> {
  place: number;
}

/** The place of each step's parent; -1 where none is known, and where following parents would lead back to the step. */
export function parentsOf(steps: RowList<StepSummary>): Int32Array {
  const parents = new Int32Array(steps.length).fill(NONE);
  const named: (string | null)[] = [];
  for (const step of steps) named.push(step.parent_step_id);
  // Most traces have no steps within others.
  if (named.every((name) => name === null)) return parents;
  const places = new Map<string, number>();
  let at = 0;
  for (const step of steps) places.set(step.step_id, at++);
  const isKnown = new Uint8Array(steps.length);
  for (let start = 0; start < steps.length; start += 1) {
    const path = new Set<number>();
    let place = start;
    while (isKnown[place] === 0) {
      path.add(place);
      isKnown[place] = 1;
      const name = named[place] ?? null;
      const parent = name === null ? undefined : places.get(name);
      if (parent === undefined || path.has(parent)) break;
      parents[place] = parent;
      place = parent;
    }
  }
  return parents;
}

/** Of each step its first child and its next sibling; the first of those without a parent stands at the end. */
function childrenOf(parents: Int32Array): { first: Int32Array; next: Int32Array; counts: Uint32Array } {
  const first = new Int32Array(parents.length + 1).fill(NONE);
  const next = new Int32Array(parents.length).fill(NONE);
  const counts = new Uint32Array(parents.length + 1);
  for (let place = parents.length - 1; place >= 0; place -= 1) {
    const parent = parents[place] ?? NONE;
    const under = parent === NONE ? parents.length : parent;
    next[place] = first[under] ?? NONE;
    first[under] = place;
    counts[under] = (counts[under] ?? 0) + 1;
  }
  return { first, next, counts };
}

function foldedOf(steps: RowList<StepSummary>, collapsed: ReadonlySet<string>): Uint8Array {
  const folded = new Uint8Array(steps.length);
  let place = 0;
  for (const step of steps) {
    if (collapsed.has(step.step_id)) folded[place] = 1;
    place += 1;
  }
  return folded;
}

function withAncestors(
  steps: RowList<StepSummary>,
  parents: Int32Array,
  isMatch: (step: StepSummary) => boolean,
): Uint8Array {
  const wanted = new Uint8Array(steps.length);
  let place = 0;
  for (const step of steps) {
    for (let at = isMatch(step) ? place : NONE; at !== NONE && wanted[at] !== 1; at = parents[at] ?? NONE)
      wanted[at] = 1;
    place += 1;
  }
  return wanted;
}
