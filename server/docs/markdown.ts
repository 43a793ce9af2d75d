import GithubSlugger from "github-slugger";
import { Marked, type Token, type Tokens } from "marked";
import { escapeHtml } from "../http/pages.ts";

export interface Heading {
  depth: number;
  text: string;
  /** What a link names it by, as GitHub makes it; in generated topics what stands in braces: `## List {#traces.list}`. */
  id: string;
}

/** A heading with the lines below it as plain text: what a search looks through. */
export interface Section extends Heading {
  lines: string[];
}

export interface Rendered {
  /** Text of the first heading, which is not in the HTML. */
  title: string;
  html: string;
  headings: Heading[];
  sections: Section[];
  /** Where its links lead, as they stand in the HTML. */
  links: string[];
}

const NAMED = /\s*\{#([\w.-]+)\}$/;

/**
 * Markdown (GFM) as HTML that nothing can act in: HTML in the text is shown as text, comments are left out, links that
 * are neither ours nor http(s) lose their address.
 * @param sizeOf of a picture by its address on the page
 * @param resolve turns the address of a link or picture as it stands in the text into that of the page; null for none
 */
export function renderMarkdown(
  text: string,
  resolve: (href: string) => string | null,
  sizeOf: (picture: string) => { width: number; height: number } | undefined = () => undefined,
): Rendered {
  const slugger = new GithubSlugger();
  const headings: Heading[] = [];
  const links: string[] = [];
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(text);
  const sections = toSections(tokens, slugger);
  const ids = sections.map(({ id }) => id);
  let shown = 0;

  marked.use({
    renderer: {
      heading({ tokens: inner, depth }) {
        const { id, text: name } = sections[shown]!;
        shown += 1;
        if (depth === 1) return "";
        headings.push({ id, text: name, depth });
        const words = this.parser.parseInline(inner).replace(NAMED, "");
        const link = `<a class="docs-anchor" href="#${id}" aria-label="Link to “${escapeHtml(name)}”">#</a>`;
        return `<h${depth} id="${id}" tabindex="-1">${words} ${link}</h${depth}>\n`;
      },
      html: ({ text: html }) => (/^\s*<!--[\s\S]*-->\s*$/.test(html) ? "" : escapeHtml(html)),
      link({ href, tokens: inner }) {
        const words = this.parser.parseInline(inner);
        const to = allowed(href, resolve);
        if (to === null) return words;
        links.push(to);
        return `<a href="${escapeHtml(to)}"${/^https?:/.test(to) ? ' rel="noreferrer"' : ""}>${words}</a>`;
      },
      image({ href, text: alt }) {
        const from = allowed(href, resolve);
        if (from === null || /^https?:/.test(from)) return escapeHtml(alt);
        links.push(from);
        const size = sizeOf(from);
        const room = size ? ` width="${size.width}" height="${size.height}"` : "";
        return `<img src="${escapeHtml(from)}" alt="${escapeHtml(alt)}"${room} loading="lazy">`;
      },
      code({ text: code, lang = "" }) {
        const [language = ""] = /^[\w-]*/.exec(lang) ?? [];
        const kind = language === "" ? "" : ` data-language="${language}"`;
        const label = language === "" ? "Example" : `Example, ${language}`;
        return `<div class="docs-code"><pre tabindex="0" role="group" aria-label="${label}"><code${kind}>${escapeHtml(code)}</code></pre><button type="button" class="button docs-copy">Copy</button></div>\n`;
      },
      table({ header, rows }) {
        const inside = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        // On a phone each row is a block, and what stands below its first cell says what it is.
        const named = (at: number) =>
          header.length > 2 && at > 0 ? ` data-head="${escapeHtml(header[at]?.text ?? "")}"` : "";
        const cells = (row: Tokens.TableCell[]) =>
          row.map((cell, at) => `<td${named(at)}>${inside(cell)}</td>`).join("");
        const body = rows.map((row) => `<tr>${cells(row)}</tr>`).join("");
        const head = header.map((cell) => `<th scope="col">${inside(cell)}</th>`).join("");
        return `<div class="docs-table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parser(tokens);
  if (new Set(ids).size < ids.length) throw new Error(`Two headings have one name: ${ids.join(", ")}`);
  return { title: sections[0]?.text ?? "", html, headings, sections, links };
}

function allowed(href: string, resolve: (href: string) => string | null): string | null {
  if (/^https?:\/\//.test(href) || href.startsWith("#")) return href;
  return /^[a-z][a-z\d+.-]*:|^\/\//i.test(href) ? null : resolve(href);
}

function toSections(tokens: readonly Token[], slugger: GithubSlugger): Section[] {
  const sections: Section[] = [];
  for (const token of tokens) {
    if (token.type !== "heading") {
      sections.at(-1)?.lines.push(...plainLines(token));
      continue;
    }
    const { tokens: inner, depth } = token as Tokens.Heading;
    const plain = plainText(inner);
    const named = NAMED.exec(plain)?.[1];
    const text = plain.replace(NAMED, "");
    sections.push({ depth, text, id: named ?? slugger.slug(text), lines: [] });
  }
  return sections;
}

const plainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => ("tokens" in token && token.tokens ? plainText(token.tokens) : textOf(token)))
    .join("");

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function textOf(token: Token): string {
  if (token.type === "br") return "\n";
  if (token.type === "html") return "";
  const { text = "" } = token as { text?: string };
  return token.type === "text" || token.type === "escape"
    ? text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!)
    : text;
}

/** What a person reads of a block, line by line: a paragraph is one, so are a row and each line of code. */
function plainLines(token: Token): string[] {
  switch (token.type) {
    case "space":
    case "hr":
    case "html":
      return [];
    case "code":
      return (token as Tokens.Code).text.split("\n").filter((line) => line.trim() !== "");
    case "list":
      return (token as Tokens.List).items.flatMap((item) => item.tokens.flatMap(plainLines));
    case "blockquote":
      return (token as Tokens.Blockquote).tokens.flatMap(plainLines);
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) =>
        row
          .map((cell) => plainText(cell.tokens))
          .filter((text) => text !== "")
          .join(" · "),
      );
    }
    default:
      return [plainText([token]).replaceAll(/\s+/g, " ").trim()].filter((line) => line !== "");
  }
}
