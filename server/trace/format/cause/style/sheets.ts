import {
  attributesOf,
  isElement,
  isShadowRoot,
  referenceOf,
  type SnapshotTrees,
} from "../../playwright/snapshot-tree.ts";
import type { Exchange, PageShot, RunFacts } from "../run/run-facts.ts";
import type { PageSheet } from "../types.ts";

/** Where a page names a style sheet, in its order: a link, or a text in the page. */
export interface SheetMark {
  href: string | null;
  text: string;
  media: string;
}

const MOST = 20;
const LONGEST = 512 * 1024;
const MOST_TEXT = 2 * 1024 * 1024;
const MOST_NODES = 50_000;
const DEEPEST = 200;
const IMPORTS_WITHIN = 3;

/** The style sheets of a page that a Playwright archive recorded. */
export function sheetsOfTree(trees: SnapshotTrees, at: number): SheetMark[] {
  const found: SheetMark[] = [];
  let nodes = 0;
  visit(trees.get(at)?.root, at, 0);
  return found;

  function visit(node: unknown, place: number, depth: number) {
    if (depth > DEEPEST || found.length >= MOST || ++nodes > MOST_NODES) return;
    const reference = referenceOf(node, place);
    if (reference) return visit(trees.get(reference.at)?.nodes[reference.index], reference.at, depth + 1);
    if (!isElement(node)) return;
    const tag = node[0].toLowerCase();
    const attributes = attributesOf(node[1]);
    // What stands in a shadow root holds there alone.
    if (isShadowRoot(tag, attributes)) return;
    const given = new Map(attributes);
    const adopted = given.get("__playwright_style_sheet_");
    if (adopted !== undefined) found.push({ href: null, text: adopted, media: "" });
    else if (tag === "style" || tag === "link")
      addMark(found, tag, (name) => given.get(name), textOf(node.slice(2), place));
    else for (const child of node.slice(2)) visit(child, place, depth + 1);
  }

  function textOf(children: readonly unknown[], place: number): string {
    return children
      .map((child) => {
        const reference = referenceOf(child, place);
        return reference ? trees.get(reference.at)?.nodes[reference.index] : child;
      })
      .filter((child) => typeof child === "string")
      .join("");
  }
}

/** The style sheets of a page's markup. */
export function sheetsOfHtml(html: string): SheetMark[] {
  const found: SheetMark[] = [];
  let open: { attribute(name: string): string | undefined; text: string } | null = null;
  new HTMLRewriter()
    .on("style, link", {
      element(element) {
        const attributes = new Map([...element.attributes] as [string, string][]);
        const attribute = (name: string) => attributes.get(name);
        if (element.tagName.toLowerCase() === "link") return addMark(found, "link", attribute, "");
        open = { attribute, text: "" };
        element.onEndTag(() => {
          if (open) addMark(found, "style", open.attribute, open.text);
          open = null;
        });
      },
      text({ text }) {
        if (open && open.text.length <= LONGEST) open.text += text;
      },
    })
    .transform(html);
  return found;
}

function addMark(
  found: SheetMark[],
  tag: string,
  attribute: (name: string) => string | undefined,
  text: string,
) {
  if (found.length >= MOST) return;
  const media = attribute("media") ?? "";
  if (tag === "style") found.push({ href: attribute("data-href") ?? null, text, media });
  const rel = ` ${attribute("rel")?.toLowerCase()} `;
  const href = attribute("href");
  const isUsed = / stylesheet /.test(rel) && !/ alternate /.test(rel) && attribute("disabled") === undefined;
  if (tag === "link" && href !== undefined && isUsed) found.push({ href, text: "", media });
}

/**
 * The texts of the style sheets that a page names, with those that they import, each of which comes before.
 * @param read the text of an answer; null where it is not kept or longer than that
 */
export async function readSheets(
  marks: readonly SheetMark[],
  { url: base }: PageShot,
  { exchanges }: Pick<RunFacts, "exchanges">,
  read: (one: Exchange, longest: number) => Promise<string | null>,
): Promise<PageSheet[]> {
  const found: PageSheet[] = [];
  let [count, room] = [MOST, MOST_TEXT];
  for (const { href, text, media } of marks) {
    const url = absolute(href, base);
    if (href !== null && text === "") await load(href, base, [media], 0);
    else await add({ text, url, seq: answerFrom(url)?.seq ?? null, media: [media] }, 0);
  }
  return found;

  function answerFrom(url: string | null): Exchange | undefined {
    return exchanges.findLast((one) => one.url === url && one.status === 200);
  }

  async function load(href: string, from: string, media: string[], depth: number): Promise<void> {
    const url = absolute(href, from);
    const answer = answerFrom(url);
    if (!answer || answer.body === null || count <= 0) return;
    count--;
    const text = await read(answer, LONGEST);
    if (text !== null) await add({ text, url, seq: answer.seq, media }, depth);
  }

  async function add(sheet: PageSheet, depth: number): Promise<void> {
    room -= sheet.text.length;
    if (sheet.text.length > LONGEST || room < 0) return;
    if (depth < IMPORTS_WITHIN)
      for (const [, href, media] of importsOf(sheet.text))
        await load(href!, sheet.url ?? base, [...sheet.media, media!.trim()], depth + 1);
    found.push(sheet);
  }
}

/** Imports stand before all rules. */
const importsOf = (text: string) =>
  text
    .slice(0, Math.min(text.length, HEAD))
    .split("{", 1)[0]!
    .matchAll(/@import\s+(?:url\(\s*)?["']?([^"')\s;]{1,2000})["']?\s*\)?([^;]{0,300});/gi);

const HEAD = 10_000;

const absolute = (href: string | null, base: string): string | null =>
  href === null ? null : (URL.parse(href, base)?.href ?? null);
