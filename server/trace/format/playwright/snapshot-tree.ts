/**
 * The page of a recorded snapshot: a text, an element `[name, attributes?, ...children]`, or `[[back, index]]`: the
 * subtree with that number in the snapshot of the same frame that many snapshots earlier.
 */
export interface SnapshotTree {
  root: unknown;
  /** Texts and elements in the order in which the recorder numbered them: children before their parent. */
  nodes: unknown[];
}

/** Snapshots by their place among those of their frame. */
export type SnapshotTrees = ReadonlyMap<number, SnapshotTree>;

/** Deeper than any browser builds a page from markup. */
const DEEPEST = 3000;

export function numberNodes(root: unknown): SnapshotTree {
  const nodes: unknown[] = [];
  const visit = (node: unknown, depth: number) => {
    if (typeof node === "string") nodes.push(node);
    else if (isElement(node)) {
      if (depth < DEEPEST) for (let at = 2; at < node.length; at++) visit(node[at], depth + 1);
      nodes.push(node);
    }
  };
  visit(root, 0);
  return { root, nodes };
}

export function isElement(node: unknown): node is [string, ...unknown[]] {
  return Array.isArray(node) && typeof node[0] === "string";
}

/** The attributes of a recorded element, as pairs. */
export function attributesOf(recorded: unknown): [string, string][] {
  if (typeof recorded !== "object" || recorded === null || Array.isArray(recorded)) return [];
  return Object.entries(recorded).filter((entry): entry is [string, string] => typeof entry[1] === "string");
}

/** Whether an element is the template by which the recorder notes what stands in a shadow root. */
export const isShadowRoot = (tag: string, attributes: readonly (readonly [string, string])[]): boolean =>
  tag === "template" && attributes.some(([name]) => name === "__playwright_shadow_root_");

/** The place that a node refers to, from the place of its own snapshot; null for a node that is no reference. */
export function referenceOf(node: unknown, at: number): { at: number; index: number } | null {
  if (!Array.isArray(node) || !Array.isArray(node[0])) return null;
  const [back, index] = node[0] as unknown[];
  if (!Number.isSafeInteger(back) || !Number.isSafeInteger(index)) return null;
  // Forward there is nothing that could be meant.
  if ((back as number) < 0 || (back as number) > at) return null;
  return { at: at - (back as number), index: index as number };
}

/**
 * The snapshots that one is made of: its own and those that its nodes refer to, over any number of steps.
 * @param load the snapshot at a place among those of the frame; null when it is not there
 */
export async function gatherTrees(
  start: number,
  load: (at: number) => Promise<SnapshotTree | null>,
): Promise<SnapshotTrees> {
  const trees = new Map<number, SnapshotTree>();
  const seen = new Set<unknown>();
  const waiting: { at: number; index: number | "root" }[] = [{ at: start, index: "root" }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { at, index } = next;
    const tree = trees.get(at) ?? (await load(at));
    if (!tree) continue;
    trees.set(at, tree);
    const stack = [index === "root" ? tree.root : tree.nodes[index]];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const reference = referenceOf(node, at);
      if (reference) waiting.push(reference);
      if (reference || !isElement(node) || seen.has(node)) continue;
      seen.add(node);
      for (let child = 2; child < node.length; child++) stack.push(node[child]);
    }
  }
  return trees;
}
