/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { createSearch, type Search, type Wanted } from "../redaction/search.ts";

/**
 * Runs in every frame of runs that have something to hide, in a world of its own that no script of the page can look into: covers
 * what the page prints of it before it is painted. Texts are covered by a highlight, which changes nothing in the document;
 * fields show dots. `__tracedeck_values__` is replaced by what is to be hidden; a second time it adds to the first.
 */
declare const __tracedeck_values__: Wanted[];

const HIGHLIGHT = "tracedeck-cover";
const RULES = `:root::highlight(${HIGHLIGHT}), ::highlight(${HIGHLIGHT}) {
  color: transparent !important; background-color: #444 !important; text-shadow: none !important;
  -webkit-text-fill-color: transparent !important; -webkit-text-stroke-color: transparent !important;
  fill: transparent !important; stroke: transparent !important;
}
:root::selection, ::selection { color: transparent !important; -webkit-text-fill-color: transparent !important; }`;
/** A value may be spread over the elements of a line, not of a whole page. */
const LONGEST_LINE = 20_000;
const FIELDS = "input, textarea, select";
/** Texts that are not painted, or as part of a field. */
const UNPAINTED = /^(?:script|style|noscript|template|textarea|option|title)$/i;
/** Larger documents are not looked through in every frame for shadow trees that elements got after they had been added. */
const MANY_ELEMENTS = 5000;
const LOOK_EVERY = 30;

interface Cover {
  add(values: Wanted[]): void;
}

function start(): Cover {
  const wanted: Wanted[] = [];
  let search: Search = createSearch(wanted);
  const roots = new Set<Document | ShadowRoot>();
  /** Of each text, by where in it they are. */
  const ranges = new Map<Node, Map<string, Range>>();
  const shown = new WeakMap<Element, string>();
  const highlight = new Highlight();
  highlight.priority = 1_000_000;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(RULES);
  const observer = new MutationObserver(take);
  let frames = 0;

  function take(changes: MutationRecord[]): void {
    for (const { target } of changes) if (target.nodeType === Node.TEXT_NODE) ranges.delete(target);
    const lines = new Set<Node>();
    for (const { target, addedNodes } of changes) {
      for (const node of addedNodes) read(node);
      lines.add(target.nodeType === Node.TEXT_NODE ? (target.parentNode ?? target) : target);
    }
    for (const line of lines) if ((line.textContent?.length ?? 0) <= LONGEST_LINE) read(line);
    for (const { target } of changes) if (target.nodeType === Node.TEXT_NODE) read(target);
    show();
  }

  /** Covers what is below a node, each text by itself and all of them together. */
  function read(node: Node): void {
    const texts: Text[] = [];
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (one) =>
      UNPAINTED.test(one.nodeName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    for (let one: Node | null = walker.currentNode; one; one = walker.nextNode())
      if (one instanceof Text) texts.push(one);
      else if (one instanceof Element && one.shadowRoot) watch(one.shadowRoot);
    for (const text of texts) coverAll([text]);
    if (texts.length > 1) coverAll(texts);
  }

  function coverAll(texts: Text[]): void {
    const whole = texts.map(({ data }) => data).join("");
    const found = search.find(whole);
    let at = 0;
    if (found.length === 0) return;
    for (const text of texts) {
      const end = at + text.data.length;
      for (const { from, to } of found) {
        const [first, last] = [Math.max(from, at), Math.min(to, end)];
        if (first >= last) continue;
        coverPart(text, first - at, last - at);
      }
      at = end;
    }
  }

  function coverPart(text: Text, from: number, to: number): void {
    const known = ranges.get(text) ?? new Map<string, Range>();
    ranges.set(text, known);
    const range = new Range();
    range.setStart(text, from);
    range.setEnd(text, to);
    known.set(`${from} ${to}`, range);
    // A highlight paints behind the letters of a drawing, and leaves them as they are.
    if (text.parentElement instanceof SVGElement)
      for (const paint of ["fill", "stroke"])
        text.parentElement.style.setProperty(paint, "transparent", "important");
  }

  /** Nothing of it is in the page as long as there is nothing to cover. */
  function show(): void {
    for (const node of ranges.keys()) if (!node.isConnected) ranges.delete(node);
    if (ranges.size === 0 && highlight.size === 0) return;
    highlight.clear();
    for (const some of ranges.values()) for (const range of some.values()) highlight.add(range);
    if (CSS.highlights.get(HIGHLIGHT) !== highlight) CSS.highlights.set(HIGHLIGHT, highlight);
    for (const root of roots)
      if (!root.adoptedStyleSheets.includes(sheet))
        root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }

  function watch(root: Document | ShadowRoot): void {
    if (roots.has(root)) return;
    roots.add(root);
    observer.observe(root, { childList: true, characterData: true, subtree: true });
    read(root);
  }

  /** Scripts set values without anybody being told. */
  function coverFields(root: Document | ShadowRoot): void {
    for (const field of root.querySelectorAll<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>(
      FIELDS,
    )) {
      const text =
        field instanceof HTMLSelectElement
          ? [...field.selectedOptions].map((option) => option.text).join("\n")
          : `${field.value}\n${field.placeholder}`;
      if (shown.get(field) === text) continue;
      shown.set(field, text);
      if (!search.has(text)) continue;
      field.style.setProperty("-webkit-text-security", "disc", "important");
      if (
        field instanceof HTMLSelectElement ||
        search.has(field.placeholder) ||
        /^(?:button|submit|reset)$/.test(field.type)
      )
        field.style.setProperty("-webkit-text-fill-color", "transparent", "important");
    }
  }

  function everyFrame(): void {
    frames += 1;
    for (const root of [...roots]) {
      const elements = root.querySelectorAll("*");
      if (elements.length > MANY_ELEMENTS && frames % LOOK_EVERY > 0) continue;
      for (const element of elements) if (element.shadowRoot) watch(element.shadowRoot);
    }
    for (const root of roots) coverFields(root);
    if (highlight.size > 0 || ranges.size > 0) show();
    requestAnimationFrame(everyFrame);
  }

  watch(document);
  requestAnimationFrame(everyFrame);
  return {
    add(values) {
      const fresh = values.filter((one) => !wanted.some(({ value }) => value === one.value));
      if (fresh.length === 0) return;
      wanted.push(...fresh);
      search = createSearch(wanted);
      for (const root of roots) {
        read(root);
        for (const field of root.querySelectorAll(FIELDS)) shown.delete(field);
        coverFields(root);
      }
      show();
    },
  };
}

const world = globalThis as { tracedeckCover?: Cover };
world.tracedeckCover ??= start();
world.tracedeckCover.add(__tracedeck_values__);
