import {
  attributesOf,
  isElement,
  isShadowRoot,
  referenceOf,
  type SnapshotTrees,
} from "../playwright/snapshot-tree.ts";
import { addText, createCollector, MAX_DEPTH, type PageNode, SILENT } from "./page-nodes.ts";

/** The telling elements of a page that a Playwright archive recorded, with the earlier ones that it refers to. */
export function nodesOfTree(trees: SnapshotTrees, at: number): PageNode[] {
  const collector = createCollector();
  function visit(node: unknown, place: number, parent: PageNode | undefined, depth: number) {
    if (collector.isFull() || depth > MAX_DEPTH) return;
    if (typeof node === "string") return addText(parent, node);
    const reference = referenceOf(node, place);
    if (reference)
      return visit(trees.get(reference.at)?.nodes[reference.index], reference.at, parent, depth + 1);
    if (!isElement(node)) return;
    const tag = node[0].toLowerCase();
    const attributes = attributesOf(node[1]);
    const isShadow = isShadowRoot(tag, attributes);
    if (SILENT.has(tag) && !isShadow) return;
    const own = isShadow ? parent : collector.begin(tag, attributes);
    for (const child of node.slice(2)) visit(child, place, own, depth + 1);
  }
  visit(trees.get(at)?.root, at, undefined, 0);
  return collector.finish();
}
