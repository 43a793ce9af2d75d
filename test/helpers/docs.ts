import { join } from "node:path";
import { marked, type Token, type Tokens } from "marked";
import type { ApiDescription } from "../../server/docs/api.ts";
import { createDocs } from "../../server/docs/service.ts";
import type { TestApp } from "./app.ts";

export const ROOT = join(import.meta.dir, "..", "..");

/** The documentation of a server, without the server's routes. */
export const docsOf = (app: TestApp) =>
  createDocs({
    api: async () => (await (await app.api("/openapi.json")).json()) as ApiDescription,
    commands: app.deps.commands,
    limits: app.deps.config.settings.rate_limits,
  });

export interface Example {
  /** Of the topic, or the file's name. */
  path: string;
  language: string;
  text: string;
}

/** Every block of code in a Markdown text. */
export function examplesOf(path: string, markdown: string): Example[] {
  const blocks = (tokens: readonly Token[]): Tokens.Code[] =>
    tokens.flatMap((token) => {
      if (token.type === "code") return [token as Tokens.Code];
      const { items = [], tokens: inner = [] } = token as { items?: Token[]; tokens?: Token[] };
      return blocks([...items, ...inner]);
    });
  return blocks(marked.lexer(markdown)).map(({ lang = "", text }) => ({ path, language: lang, text }));
}

/** The commands of a block: a line each, those that go on behind a backslash as one, without comments. */
export function commandLines({ text }: Example): string[] {
  return text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/\s{2,}#.*$|^#.*$/, "").trim())
    .filter((line) => line !== "");
}

/** Words as a POSIX shell takes them, without what it puts in for variables; up to a pipe or a redirection. */
export function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/(?:"[^"]*"|'(?:[^']|'\\'')*'|[^\s"'])+/g)].map(([word]) =>
    word
      .replaceAll("'\\''", "\u0000")
      .replaceAll(/["']/g, (quote, at) => (isOuter(word, at) ? "" : quote))
      .replaceAll("\u0000", "'"),
  );
  const end = words.findIndex((word) => /^[|<>]/.test(word));
  return end === -1 ? words : words.slice(0, end);
}

/** Whether a quote at this place begins or ends a quotation, instead of standing within one of the other kind. */
function isOuter(word: string, at: number): boolean {
  let open = "";
  for (const [place, char] of [...word].entries()) {
    if (char !== '"' && char !== "'") continue;
    const isOwn = open === "" || open === char;
    if (place === at) return isOwn;
    if (isOwn) open = open === "" ? char : "";
  }
  return true;
}
