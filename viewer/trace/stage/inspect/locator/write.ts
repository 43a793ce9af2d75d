import { CALLS, type Locator, type Part, type TextMatch } from "./model.ts";

const ESCAPES: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'" };

/** A JavaScript string literal that holds any text on one line, with what would hide or reorder code escaped. */
export function quoted(text: string): string {
  const body = text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    /[\u0000-\u001f\u007f-\u009f\\'\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu,
    (character) => ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `'${body}'`;
}

function matched(text: TextMatch): string {
  return text.is === "text" ? quoted(text.value) : `/${text.source}/${text.flags}`;
}

function callOf(part: Part): string {
  switch (part.by) {
    case "role": {
      const options: string[] = [];
      if (part.name) options.push(`name: ${matched(part.name)}`);
      for (const [state, value] of Object.entries(part.states)) options.push(`${state}: ${value}`);
      if (part.name?.is === "text" && part.name.isExact) options.push("exact: true");
      return `getByRole(${quoted(part.role)}${options.length > 0 ? `, { ${options.join(", ")} }` : ""})`;
    }
    case "css":
      return `locator(${quoted(part.css)})`;
    case "xpath":
      return `locator(${quoted(`xpath=${part.xpath}`)})`;
    case "frame":
      return "contentFrame()";
    case "nth":
      if (part.index === 0) return "first()";
      return part.index === -1 ? "last()" : `nth(${part.index})`;
    case "hasText":
    case "hasNotText":
      return `filter({ ${part.by}: ${matched(part.text)} })`;
    case "has":
    case "hasNot":
      return `filter({ ${part.by}: ${writeLocator(part.locator, "page.")} })`;
    case "and":
    case "or":
      return `${part.by}(${writeLocator(part.locator, "page.")})`;
    case "visible":
      return `filter({ visible: ${part.isVisible} })`;
    default: {
      const isExact = part.text.is === "text" && part.text.isExact && part.by !== "testid";
      return `${CALLS[part.by]}(${matched(part.text)}${isExact ? ", { exact: true }" : ""})`;
    }
  }
}

/** A locator as JavaScript on one line, without `page.` before it unless given. */
export function writeLocator(locator: Locator, before = ""): string {
  return before + locator.map(callOf).join(".");
}
