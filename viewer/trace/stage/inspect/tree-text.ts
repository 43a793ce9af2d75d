import type { TreeNode } from "./protocol.ts";

/** A text in quotes where the tree's form needs them: as YAML 1.2 would otherwise read something else. */
function scalar(text: string): string {
  const isPlain =
    /^[\p{L}\p{N}(/][^:#"'\\{}[\]&*!|>%@`\p{Cc}]*$/u.test(text) &&
    !/^(true|false|null|yes|no|~)$|^[-+.\d]+$|\s$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

/** A line of the tree as Playwright's aria snapshots write it: `button "Pay" [disabled]`. */
export function headOf({ role, name, states }: TreeNode): string {
  if (role === "text") return `text: ${scalar(name)}`;
  return [role, name && JSON.stringify(name), ...states.map((state) => `[${state}]`)]
    .filter(Boolean)
    .join(" ");
}

/** The tree as text: a YAML list, two spaces for each level. */
export function treeText(nodes: readonly TreeNode[]): string {
  return nodes
    .map((node, index) => {
      const hasChildren = (nodes[index + 1]?.depth ?? 0) > node.depth;
      const value =
        node.value !== null && node.value !== "" ? `: ${scalar(node.value)}` : hasChildren ? ":" : "";
      return `${"  ".repeat(node.depth)}- ${headOf(node)}${value}`;
    })
    .join("\n");
}

/** For each line the line that it lies in, -1 at the top. */
export function parentsOf(nodes: readonly TreeNode[]): number[] {
  const open: number[] = [];
  return nodes.map(({ depth }, index) => {
    while (open.length > 0 && nodes[open.at(-1)!]!.depth >= depth) open.pop();
    const parent = open.at(-1) ?? -1;
    open.push(index);
    return parent;
  });
}

/** The lines to show: without those in closed ones; with a filter those that hold it, and what they lie in. */
export function shownLines(
  nodes: readonly TreeNode[],
  parents: readonly number[],
  closed: ReadonlySet<number>,
  filter: string,
): number[] {
  const wanted = filter.trim().toLowerCase();
  if (wanted) {
    const kept = new Set<number>();
    for (const [index, node] of nodes.entries()) {
      if (!`${headOf(node)} ${node.value ?? ""}`.toLowerCase().includes(wanted)) continue;
      for (let at = index; at >= 0 && !kept.has(at); at = parents[at] ?? -1) kept.add(at);
    }
    return [...kept].sort((a, b) => a - b);
  }
  const shown: number[] = [];
  const isOpen = new Set<number>();
  for (const [index] of nodes.entries()) {
    const parent = parents[index] ?? -1;
    if (parent !== -1 && !isOpen.has(parent)) continue;
    shown.push(index);
    if (!closed.has(index)) isOpen.add(index);
  }
  return shown;
}
