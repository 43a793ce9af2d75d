/** An element of a page that says something: by its own text, its state, or by being there to act on. */
export interface PageNode {
  tag: string;
  /** What it is recognised by: test id, id, name, label; empty when it has none. */
  mark: string;
  /** Its own text, without that of its children. */
  text: string;
  /** Attributes that show or tell its state. */
  state: Record<string, string>;
}

const MOST_NODES = 5_000;
const MAX_TEXT = 1_000;
/** Deeper than any page is nested. */
export const MAX_DEPTH = 1_000;

/** Neither they nor what is in them says anything. */
export const SILENT = new Set(["script", "style", "noscript", "template", "head", "link", "meta", "svg"]);
const VOID = new Set(
  "area base br col embed hr img input link meta param source track wbr keygen basefont bgsound frame".split(
    " ",
  ),
);
const CONTROLS = new Set(["input", "button", "select", "textarea", "img", "iframe", "dialog", "video"]);
const MARKS = ["data-testid", "data-test", "id", "name", "aria-label"];
const STATE = [
  "value",
  "checked",
  "disabled",
  "hidden",
  "open",
  "selected",
  "role",
  "placeholder",
  "alt",
  "aria-invalid",
  "aria-expanded",
  "aria-checked",
  "aria-selected",
  "aria-disabled",
];
/** What recorders write of an element's state beside its attributes, which say how it was served. */
const RECORDED = new Map([
  ["__playwright_value_", "value"],
  ["__playwright_checked_", "checked"],
  ["__playwright_selected_", "selected"],
  ["__playwright_dialog_open_", "open"],
]);

/** Collects elements in document order, from either form of a page. */
export function createCollector() {
  const nodes: PageNode[] = [];
  return {
    nodes,
    isFull: () => nodes.length >= MOST_NODES,
    begin(tag: string, attributes: Iterable<readonly [string, string]>): PageNode {
      const state: Record<string, string> = {};
      const marks = new Map<string, string>();
      let recorded: Record<string, string> | undefined;
      let isSecret = false;
      for (const [given, value] of attributes) {
        const name = given.toLowerCase();
        const own = RECORDED.get(given);
        if (own !== undefined) recorded = { ...recorded, [own]: value.slice(0, MAX_TEXT) };
        else if (MARKS.includes(name) && value !== "") marks.set(name, value.slice(0, MAX_TEXT));
        else if (name === "type") isSecret = value.toLowerCase() === "password";
        else if (name === "checked" && value === "false") continue;
        else if (STATE.includes(name)) state[name] = value.slice(0, MAX_TEXT);
      }
      Object.assign(state, recorded);
      if (recorded?.checked === "false") delete state.checked;
      if (isSecret) delete state.value;
      const mark = MARKS.find((name) => marks.has(name));
      const node = { tag, mark: mark ? `${mark}=${marks.get(mark)}` : "", text: "", state };
      nodes.push(node);
      return node;
    },
    finish: () =>
      nodes
        .map((node) => ({ ...node, text: node.text.replace(/\s+/g, " ").trim() }))
        .filter(({ tag, text, state }) => text !== "" || CONTROLS.has(tag) || Object.keys(state).length > 0),
  };
}

/** Adds to an element's own text. */
export function addText(node: PageNode | undefined, text: string): void {
  if (node && node.text.length < MAX_TEXT) node.text = `${node.text} ${text}`.slice(0, MAX_TEXT);
}

/** The telling elements of a page's markup. */
export function nodesOfHtml(html: string): PageNode[] {
  const collector = createCollector();
  const open: { tag: string; node: PageNode | null }[] = [];
  let silent = 0;
  function close(tag: string) {
    const at = open.findLastIndex((one) => one.tag === tag);
    if (at < 0) return;
    for (const one of open.splice(at)) if (one.node === null) silent -= 1;
  }
  new HTMLRewriter()
    .on("*", {
      element(element) {
        const tag = element.tagName.toLowerCase();
        const isSilent = SILENT.has(tag);
        const isSeen = silent === 0 && !isSilent && !collector.isFull();
        const node = isSeen ? collector.begin(tag, [...element.attributes] as [string, string][]) : null;
        if (VOID.has(tag) || element.selfClosing || !element.canHaveContent) return;
        if (open.length >= MAX_DEPTH) return;
        open.push({ tag, node });
        if (node === null) silent += 1;
        element.onEndTag(() => close(tag));
      },
      text({ text }) {
        if (silent === 0 && text.trim() !== "") addText(open.at(-1)?.node ?? undefined, decode(text));
      },
    })
    .transform(html);
  return collector.finish();
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
