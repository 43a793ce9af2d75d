/** Marks what the inspector itself puts into the page. */
export const OWN = "data-tracedeck-inspector";

/** All elements of a recorded page, which never changes, with their numbers. */
export interface PageIndex {
  elements: readonly Element[];
  /** The document and every open shadow root. */
  roots: readonly (Document | ShadowRoot)[];
  /** Place of an element among them, -1 for what is none of the page's. */
  idOf(element: Element): number;
  at(id: number): Element | null;
}

/** Numbers all elements in document order; a host's shadow tree comes before its children. */
export function indexPage(): PageIndex {
  const elements: Element[] = [];
  const roots: (Document | ShadowRoot)[] = [];
  const ids = new Map<Element, number>();
  const visit = (root: Document | ShadowRoot): void => {
    roots.push(root);
    freeForms(root);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node as Element;
      if (element.hasAttribute(OWN)) continue;
      ids.set(element, elements.length);
      elements.push(element);
      if (element.shadowRoot) visit(element.shadowRoot);
    }
  };
  visit(document);
  return { elements, roots, idOf: (element) => ids.get(element) ?? -1, at: (id) => elements[id] ?? null };
}

/**
 * A control whose name or id is that of a property stands in its form's place: `form.parentNode` becomes the field. Such
 * controls leave their form, which changes nothing that is seen. Must come before anything reads a form.
 */
function freeForms(root: Document | ShadowRoot): void {
  for (const control of root.querySelectorAll("input,button,select,textarea,output,fieldset,img[id]")) {
    const names = [control.getAttribute("name"), control.getAttribute("id")];
    if (!names.some((name) => name && name in HTMLFormElement.prototype)) continue;
    if (control.localName === "img") control.removeAttribute("id");
    else control.setAttribute("form", "");
  }
}

/** The element around another, out of shadow roots too. */
export function parentOf(element: Element): Element | null {
  if (element.parentElement) return element.parentElement;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** The elements within another, as a reader would think of them: a shadow tree's first, then its own. */
export function childrenOf(element: Element): Element[] {
  const own = [...(element.shadowRoot?.children ?? []), ...element.children];
  return own.filter((child) => !child.hasAttribute(OWN));
}

/** White space as Playwright sees it. */
export function normal(text: string): string {
  return text
    .replace(/[\u200b\u00ad]/g, "")
    .trim()
    .replace(/\s+/g, " ");
}

const TEXTLESS = new Set(["script", "style", "noscript", "head", "template", "title"]);
const texts = new WeakMap<Node, string>();

/** All text in an element, shadow trees included, buttons that are inputs by what stands on them. Not normalised. */
export function textOf(node: Element | ShadowRoot): string {
  const known = texts.get(node);
  if (known !== undefined) return known;
  let text = "";
  if (node instanceof HTMLInputElement && /^(submit|button|reset)$/.test(node.type)) text = node.value;
  else if (!(node instanceof Element) || !TEXTLESS.has(node.localName)) {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) text += child.nodeValue ?? "";
      else if (child instanceof Element && !child.hasAttribute(OWN)) text += textOf(child);
    }
    if (node instanceof Element && node.shadowRoot) text += textOf(node.shadowRoot);
  }
  texts.set(node, text);
  return text;
}

const SLICE_MS = 10;

/** Gives the thread free whenever a slice of time is over. `isOver` says that nobody waits for the answer any more. */
export function createPauses(isOver: () => boolean) {
  let until = performance.now() + SLICE_MS;
  return async (): Promise<void> => {
    if (performance.now() < until) return;
    await new Promise((resolve) => setTimeout(resolve));
    if (isOver()) throw new DOMException("Nobody waits for this any more.", "AbortError");
    until = performance.now() + SLICE_MS;
  };
}
export type Pause = ReturnType<typeof createPauses>;
