import { SILENT as SILENT_IN_PAGES } from "../../diff/page-nodes.ts";
import {
  attributesOf,
  isElement,
  isShadowRoot,
  referenceOf,
  type SnapshotTrees,
} from "../../playwright/snapshot-tree.ts";

/** What is no part of what a person sees. A drawing has texts and can be pressed, as diagrams and charts are; its lines say nothing. */
const SILENT: ReadonlySet<string> = new Set(
  [
    ...SILENT_IN_PAGES,
    "path",
    "defs",
    "use",
    "symbol",
    "filter",
    "clippath",
    "mask",
    "lineargradient",
    "radialgradient",
  ].filter((tag) => tag !== "svg"),
);

/** An element of a page, in document order. */
export interface SeenElement {
  tag: string;
  /** Its role, written or by its tag; empty when it has none. */
  role: string;
  /** What a person calls it: label, its text, placeholder, alt, title. */
  name: string;
  /** All text in it, cut. */
  text: string;
  /** Its own text, without that of its children. */
  own: string;
  attributes: Record<string, string>;
  /** Whether its markup hides it, or something around it. */
  isHidden: boolean;
  /** How many elements it stands in. */
  depth: number;
  /** The call of the step that found it, empty where it is the picture's own step. Absent for every other element. */
  foundBy?: string;
  /** What its own style says. Absent without one. */
  style?: string;
  /** Of an element without text: what it was given as data, which a style sheet may show. Absent without any. */
  data?: Record<string, string>;
  /** Present where it stands in a shadow root, which the page's style sheets do not reach. */
  isInShadow?: true;
}

const MOST = 8_000;
/** Of a text or the value of an attribute. */
export const MAX_TEXT = 300;
const MAX_STYLE = 2_000;
const MAX_DEPTH = 1_000;
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const KEPT =
  /^(?:id|name|class|type|role|href|src|for|placeholder|alt|title|value|checked|selected|disabled|hidden|required|open|lang|aria-[a-z]+|data-test[a-z-]*|data-qa|data-cy|draggable|target|download|rel|form|formaction|formmethod|action|method|accept|multiple|contenteditable|readonly|tabindex|inert|minlength|maxlength|slot|novalidate|formnovalidate|pattern|min|max|step)$/;
const OF_DATA = /^data-(?!test|qa|cy)[a-z][a-z-]{0,40}$/;
/** Data of one element. */
const MOST_DATA = 4;
/** Whether elements have the attributes of that name that they were recorded with. */
export const isRecordedAttribute = (name: string): boolean => KEPT.test(name);
/** Playwright marks what a step found: with nothing, or with the step's call, which then stays for good. */
export const FOUND = "__playwright_target__";
const FIELDS = new Set(["input", "select", "textarea"]);
/** What Playwright records of an element's state, and the attribute that it stands for. */
const RECORDED = new Map([
  ["__playwright_value_", "value"],
  ["__playwright_checked_", "checked"],
  ["__playwright_dialog_open_", "open"],
  ["__playwright_selected_", "selected"],
]);
const ROLES: Record<string, string> = {
  a: "link",
  button: "button",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  h5: "heading",
  h6: "heading",
  select: "combobox",
  textarea: "textbox",
  img: "img",
  dialog: "dialog",
  article: "article",
  aside: "complementary",
  nav: "navigation",
  main: "main",
  table: "table",
  tr: "row",
  th: "columnheader",
  td: "cell",
  li: "listitem",
  ul: "list",
  ol: "list",
  option: "option",
  fieldset: "group",
  form: "form",
  output: "status",
  progress: "progressbar",
  figure: "figure",
  details: "group",
  meter: "meter",
  search: "search",
};
const INPUTS: Record<string, string> = {
  checkbox: "checkbox",
  radio: "radio",
  button: "button",
  submit: "button",
  reset: "button",
  range: "slider",
  number: "spinbutton",
  search: "searchbox",
};

/** Collects elements from either form of a page. */
function createView() {
  const elements: SeenElement[] = [];
  const open: SeenElement[] = [];
  /** Fields that stand in their label. */
  const labelled = new Map<SeenElement, SeenElement>();
  /** What labels say, without what the fields in them hold. */
  const spoken = new Map<SeenElement, string>();
  /** Data of elements, until it is known which of them have a text. */
  const given = new Map<SeenElement, [name: string, value: string][]>();
  const saidBy = (label: SeenElement) => oneSpace(spoken.get(label) ?? "");
  return {
    isFull: () => elements.length >= MOST,
    begin(tag: string, written: Iterable<readonly [string, string]>, isInShadow = false) {
      const data: [string, string][] = [];
      const attributes: Record<string, string> = {};
      let foundBy: string | undefined;
      let style: string | undefined;
      // What a field holds is not what its markup gave it.
      let recorded: Record<string, string> | undefined;
      for (const [raw, value] of written) {
        const name = raw.toLowerCase();
        const state = RECORDED.get(raw);
        if (name === "style") style = value.slice(0, MAX_STYLE);
        if (raw === FOUND) foundBy = value;
        else if (name === "style" && /display:\s*none|visibility:\s*hidden/i.test(value))
          attributes.hidden = "";
        else if (state !== undefined) recorded = { ...recorded, [state]: value.slice(0, MAX_TEXT) };
        else if (KEPT.test(name)) attributes[name] = value.slice(0, MAX_TEXT);
        else if (data.length < MOST_DATA && /\p{L}/u.test(value) && OF_DATA.test(name))
          data.push([name, value.slice(0, MAX_TEXT)]);
      }
      Object.assign(attributes, recorded);
      for (const state of ["checked", "selected"])
        if (recorded?.[state] === "false") delete attributes[state];
      if (attributes.type === "password") delete attributes.value;
      const isHidden =
        open.at(-1)?.isHidden === true ||
        "hidden" in attributes ||
        (tag === "dialog" && !("open" in attributes));
      const element: SeenElement = {
        tag,
        role: roleOf(tag, attributes),
        name: "",
        text: "",
        own: "",
        attributes,
        isHidden,
        depth: open.length,
        ...(foundBy === undefined ? {} : { foundBy: foundBy.slice(0, MAX_TEXT) }),
        ...(style === undefined ? {} : { style }),
        ...(isInShadow ? { isInShadow } : {}),
      };
      const label = open.findLast((one) => one.tag === "label");
      if (label) labelled.set(element, label);
      if (data.length > 0) given.set(element, data);
      elements.push(element);
      open.push(element);
    },
    text(words: string) {
      if (words.trim() === "") return;
      const own = open.at(-1);
      if (own) own.own = withMore(own.own, words);
      // Far outside, everything is in it.
      for (const element of open.slice(-8)) element.text = withMore(element.text, words);
      const at = open.findLastIndex(({ tag }) => tag === "label" || tag === "datalist" || FIELDS.has(tag));
      const label = at < 0 ? undefined : open[at];
      if (label?.tag === "label") spoken.set(label, withMore(spoken.get(label) ?? "", words));
    },
    end: () => void open.pop(),
    finish(): SeenElement[] {
      const byId = new Map(elements.flatMap((one) => (one.attributes.id ? [[one.attributes.id, one]] : [])));
      const labels = new Map(
        elements.flatMap((one) =>
          one.tag === "label" && one.attributes.for ? [[one.attributes.for, saidBy(one)]] : [],
        ),
      );
      const labelOf = (element: SeenElement) => {
        const label = FIELDS.has(element.tag) ? labelled.get(element) : undefined;
        return label && saidBy(label);
      };
      for (const element of elements) {
        element.text = oneSpace(element.text);
        element.own = oneSpace(element.own);
        const data = element.text === "" ? given.get(element) : undefined;
        if (data) element.data = Object.fromEntries(data);
        const { attributes: of } = element;
        const named = of["aria-labelledby"] && byId.get(of["aria-labelledby"].split(/\s+/)[0]!)?.text;
        const said = [
          of["aria-label"],
          named,
          labels.get(of.id ?? ""),
          labelOf(element),
          element.text,
          of.alt,
          of.placeholder,
          of.title,
        ];
        const value = element.tag === "input" && element.role === "button" ? of.value : undefined;
        element.name = oneSpace([value, ...said].find((one) => one && one.trim() !== "") ?? "");
      }
      return elements;
    },
  };
}

function withMore(text: string, words: string): string {
  if (text.length >= MAX_TEXT) return text;
  return (text === "" ? words : `${text} ${words}`).slice(0, MAX_TEXT);
}

/** Most texts of a page have no other. */
const OTHER_SPACE = /^\s|\s$|\s\s|[^\S ]/;
const oneSpace = (text: string) => (OTHER_SPACE.test(text) ? text.replace(/\s+/g, " ").trim() : text);

function roleOf(tag: string, attributes: Record<string, string>): string {
  const { role, type } = attributes;
  if (role) return role.split(/\s+/)[0]!.toLowerCase();
  if (tag === "input") return INPUTS[type?.toLowerCase() ?? ""] ?? "textbox";
  const isNamed = NAMES.some((name) => attributes[name]);
  return ROLES[tag] ?? (isNamed ? OF_NAMED[tag] : undefined) ?? "";
}

/** Parts of a page that are one only by a name of their own (HTML-AAM 1.0). */
const OF_NAMED: Record<string, string> = { section: "region" };
const NAMES = ["aria-label", "aria-labelledby", "title"];

/** The elements of a page that a Playwright archive recorded, with the earlier ones that it refers to. */
export function viewOfTree(trees: SnapshotTrees, at: number): SeenElement[] {
  const view = createView();
  function visit(node: unknown, place: number, depth: number, isInShadow: boolean) {
    if (view.isFull() || depth > MAX_DEPTH) return;
    if (typeof node === "string") return view.text(node);
    const reference = referenceOf(node, place);
    if (reference)
      return visit(trees.get(reference.at)?.nodes[reference.index], reference.at, depth + 1, isInShadow);
    if (!isElement(node)) return;
    const tag = node[0].toLowerCase();
    const attributes = attributesOf(node[1]);
    const isShadow = isShadowRoot(tag, attributes);
    if (SILENT.has(tag) && !isShadow) return;
    if (!isShadow) view.begin(tag, attributes, isInShadow);
    for (const child of node.slice(2)) visit(child, place, depth + 1, isInShadow || isShadow);
    if (!isShadow) view.end();
  }
  visit(trees.get(at)?.root, at, 0, false);
  return view.finish();
}

/** The elements of a page's markup. */
export function viewOfHtml(html: string): SeenElement[] {
  const view = createView();
  let silent = 0;
  new HTMLRewriter()
    .on("*", {
      element(element) {
        const tag = element.tagName.toLowerCase();
        const isSilent = SILENT.has(tag);
        const hasContent = !VOID.has(tag) && !element.selfClosing && element.canHaveContent;
        if (isSilent && hasContent) {
          silent += 1;
          element.onEndTag(() => {
            silent -= 1;
          });
        }
        if (silent > 0 || isSilent || view.isFull()) return;
        view.begin(tag, [...element.attributes] as [string, string][]);
        if (hasContent) element.onEndTag(() => view.end());
        else view.end();
      },
      text({ text }) {
        if (silent === 0) view.text(decode(text));
      },
    })
    .transform(html);
  return view.finish();
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7}|x[\da-f]{1,6})|(\w{2,6}));/gi, (whole, number, name) => {
    if (name) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = Number(/^x/i.test(number) ? `0${number}` : number);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
