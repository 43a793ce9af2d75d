import { oneLine } from "../../error-text.ts";

/** An element of a page as the server sent it, with all that its tag says. */
export interface ServedElement {
  tag: string;
  attributes: ReadonlyMap<string, string>;
  /** All text in it, cut. */
  text: string;
  around: ServedElement | null;
}

const READ = 200_000;
const MOST = 4_000;
const MAX_TEXT = 120;
/** What stands further out has more text than anything is called by. */
const NEAR = 3;
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const WORDLESS = new Set(["script", "style", "noscript"]);

/** The elements of a page as the server sent it, those of its templates as well, in document order. */
export function servedElements(html: string): ServedElement[] {
  const elements: ServedElement[] = [];
  const open: ServedElement[] = [];
  new HTMLRewriter()
    .on("*", {
      element(element) {
        const tag = element.tagName.toLowerCase();
        const one: ServedElement = {
          tag,
          attributes: new Map([...element.attributes] as [string, string][]),
          text: "",
          around: open.at(-1) ?? null,
        };
        if (elements.length < MOST) elements.push(one);
        if (VOID.has(tag) || element.selfClosing || !element.canHaveContent) return;
        open.push(one);
        element.onEndTag(() => void open.splice(open.lastIndexOf(one)));
      },
      text({ text }) {
        if (text.trim() === "" || WORDLESS.has(open.at(-1)?.tag ?? "")) return;
        for (const one of open.slice(-NEAR)) if (one.text.length < MAX_TEXT) one.text += text;
      },
    })
    .transform(html.slice(0, READ));
  for (const one of elements) one.text = oneLine(one.text);
  return elements;
}

/** What an element stands in, from itself outwards. */
export function chainOf(element: ServedElement, most: number): ServedElement[] {
  const chain: ServedElement[] = [];
  for (let one: ServedElement | null = element; one && chain.length < most; one = one.around) chain.push(one);
  return chain;
}
