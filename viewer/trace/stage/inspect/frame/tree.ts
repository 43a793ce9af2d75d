import { LONGEST_TEXT, type Tree, type TreeNode } from "../protocol.ts";
import { CHILDLESS, fieldValue, isHidden, nameOf, roleOf, shownNodes, stateList } from "./aria.ts";
import { type Frames, isFrame } from "./frames.ts";
import { normal, type PageIndex, type Pause } from "./page.ts";

const DEEPEST = 200;

interface Open {
  node: TreeNode | null;
  depth: number;
  nodes: Iterator<Node>;
  /** Where this one's children begin among all lines. */
  start: number;
  text: string;
  element: Element;
  /** Invisible itself: only what lies within may show. */
  isMute: boolean;
}

const cut = (text: string) => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text);

/** The page and the frames in it as assistive technology is told of them, as lines with their depth. At most `most` lines. */
export async function readTree(page: PageIndex, frames: Frames, most: number, pause: Pause): Promise<Tree> {
  const nodes: TreeNode[] = [];
  let leftOut = 0;
  const stack: Open[] = [];
  let seen = 0;

  function flush(open: Open): void {
    const text = normal(open.text);
    open.text = "";
    const owner = open.node ?? stack.findLast((one) => one.node !== null && one.depth <= open.depth)?.node;
    if (!text || text === owner?.name) return;
    const id = String(page.idOf(open.element));
    nodes.push({ id, depth: open.depth, role: "text", name: cut(text), states: [], value: null });
  }

  function close(open: Open): void {
    flush(open);
    const { node, start } = open;
    const only = nodes[start];
    if (!node || nodes.length !== start + 1 || only?.role !== "text") return;
    // A single text within is written on the line itself.
    node.value ??= only.name;
    if (node.value === only.name) nodes.pop();
  }

  function enter(element: Element, depth: number): void {
    seen += 1;
    const isMute = isHidden(element);
    if (isMute && !hasShownPart(element)) return;
    const role = isMute ? null : (roleOf(element) ?? frameRole(element));
    let node: TreeNode | null = null;
    if (role) {
      const name = cut(nameOf(element));
      const value = fieldValue(element);
      node = {
        id: String(page.idOf(element)),
        depth,
        role,
        name,
        states: stateList(element),
        value: value ? cut(value) : null,
      };
      nodes.push(node);
    }
    const isClosed = isFrame(element) || (role !== null && (CHILDLESS.has(role) || isField(element)));
    const inner = isClosed || depth > DEEPEST ? [] : shownNodes(element);
    const nextDepth = role ? depth + 1 : depth;
    stack.push({
      node,
      depth: nextDepth,
      nodes: inner[Symbol.iterator](),
      start: nodes.length,
      text: "",
      element,
      isMute,
    });
  }

  /** The lines of a frame stand below its own. */
  async function enterFrame(element: Element, depth: number): Promise<void> {
    const inner = isHidden(element) ? null : await frames.in(element);
    if (!inner) return;
    const tree = await inner.call("tree", Math.max(0, most - nodes.length));
    for (const node of tree.nodes)
      nodes.push({ ...node, id: inner.idOf(node.id), depth: node.depth + depth });
    leftOut += tree.leftOut;
  }

  enter(document.documentElement, 0);
  while (stack.length > 0) {
    await pause();
    const open = stack.at(-1)!;
    const next = open.nodes.next();
    if (next.done || nodes.length >= most) {
      stack.pop();
      const around = stack.at(-1);
      // What is only structure gives its text to what it lies in; blocks keep words apart.
      if (open.node === null && around && nodes.length === open.start) {
        around.text += isInline(open.element) ? open.text : ` ${open.text} `;
      } else close(open);
      continue;
    }
    const node = next.value;
    if (node.nodeType === Node.TEXT_NODE) {
      if (!open.isMute) open.text += node.nodeValue ?? "";
    } else if (node instanceof Element) {
      if (node.localName === "br") open.text += " ";
      // A line begins: text that stands before it comes before it.
      else if ((roleOf(node) ?? frameRole(node)) && !isHidden(node)) for (const one of stack) flush(one);
      enter(node, open.depth);
      if (isFrame(node)) await enterFrame(node, open.depth + 1);
    }
  }
  const unseen = nodes.length >= most ? Math.max(0, page.elements.length - seen) : 0;
  return { nodes, leftOut: leftOut + unseen };
}

/** Invisible elements may hold visible ones; those that are not laid out may not. */
function hasShownPart(element: Element): boolean {
  if (element.closest("[aria-hidden=true]") || element.closest("head,script,style,noscript,template"))
    return false;
  return getComputedStyle(element).display !== "none";
}

/** A frame is told of, yet is no role that anything could be looked for by. */
const frameRole = (element: Element) => (isFrame(element) ? "iframe" : null);

const isInline = (element: Element) => getComputedStyle(element).display.startsWith("inline");

function isField(element: Element): boolean {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}
