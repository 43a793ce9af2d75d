/**
 * A recorded selector as the locator a person would have written. Selectors are parts joined by ` >> `; those that
 * begin with `internal:` are what locators became. What is not known stays as it is.
 */
export function describeSelector(selector: string): string {
  const parts = splitParts(selector.slice(0, 2000));
  const calls = parts.map(describePart);
  if (calls.every((call) => call === null)) return selector;
  return calls.map((call, index) => call ?? `locator(${quoted(parts[index]!)})`).join(".");
}

/** At ` >> `, but not inside quotes. */
function splitParts(selector: string): string[] {
  const parts: string[] = [];
  let quote: string | null = null;
  let start = 0;
  for (let i = 0; i < selector.length; i++) {
    const character = selector[i]!;
    if (character === "\\") i += 1;
    else if (quote) quote = character === quote ? null : quote;
    else if (character === '"' || character === "'" || character === "`") quote = character;
    else if (selector.startsWith(" >> ", i)) {
      parts.push(selector.slice(start, i));
      start = i + 4;
      i += 3;
    }
  }
  return [...parts, selector.slice(start)].map((part) => part.trim()).filter((part) => part !== "");
}

const BY_ATTRIBUTE: Record<string, string> = {
  placeholder: "getByPlaceholder",
  alt: "getByAltText",
  title: "getByTitle",
};

/** Null for a plain CSS or XPath part. */
function describePart(part: string): string | null {
  const [, engine, body] = /^(internal:[a-z-]+|nth|visible)=?([\s\S]*)$/.exec(part) ?? [];
  switch (engine) {
    case "internal:role":
      return byRole(body!);
    case "internal:text":
      return byText("getByText", body!);
    case "internal:label":
      return byText("getByLabel", body!);
    case "internal:testid":
      return byTestId(body!);
    case "internal:attr":
      return byAttribute(body!);
    case "internal:has-text":
    case "internal:has-not-text":
      return `filter({ ${engine === "internal:has-text" ? "hasText" : "hasNotText"}: ${literal(body!)} })`;
    case "internal:describe":
      return `describe(${literal(body!)})`;
    case "internal:control":
      return body === "enter-frame" ? "contentFrame()" : null;
    case "nth":
      if (body === "0") return "first()";
      return body === "-1" ? "last()" : `nth(${Number.parseInt(body!, 10) || 0})`;
    case "visible":
      return `filter({ visible: ${body === "true"} })`;
    default:
      return null;
  }
}

const LONGEST_OPTIONS = 4_000;

function byRole(body: string): string | null {
  const [, role, rest] = /^([a-z]+)([\s\S]*)$/i.exec(body) ?? [];
  if (!role || rest!.length > LONGEST_OPTIONS) return null;
  const options = [
    ...rest!.matchAll(/\[([a-z-]+)=("(?:[^"\\]|\\.)*"[si]?|\/(?:[^/\\]|\\.)*\/[a-z]*|[^\]]*)\]/g),
  ].map(
    ([, key, value]) => `${camel(key!)}: ${literal(value!)}${value!.endsWith('"s') ? ", exact: true" : ""}`,
  );
  return options.length > 0 ? `getByRole('${role}', { ${options.join(", ")} })` : `getByRole('${role}')`;
}

/** `include-hidden` as its option is called. */
const camel = (key: string) => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function byText(call: string, body: string): string {
  return `${call}(${literal(body)}${body.endsWith('"s') ? ", { exact: true }" : ""})`;
}

/** The attribute by which a recorded selector looks for test ids, where the suite has set another one than Playwright's own; undefined elsewhere. */
export function ownTestIdAttribute(selector: unknown): string | undefined {
  const name =
    typeof selector === "string" ? /internal:testid=\[([\w-]{1,100})=/.exec(selector)?.[1] : undefined;
  return name === USUAL_TEST_ID ? undefined : name;
}

/** @see https://playwright.dev/docs/api/class-testoptions#test-options-test-id-attribute */
export const USUAL_TEST_ID = "data-testid";

function byTestId(body: string): string | null {
  const [, value] = /^\[[^=]+=([\s\S]*)\]$/.exec(body) ?? [];
  return value ? `getByTestId(${literal(value)})` : null;
}

function byAttribute(body: string): string | null {
  const [, name, value] = /^\[([^=]+)=([\s\S]*)\]$/.exec(body) ?? [];
  const call = name && Object.hasOwn(BY_ATTRIBUTE, name) ? BY_ATTRIBUTE[name] : undefined;
  return call ? byText(call, value!) : null;
}

/** A JSON string with a flag behind it (`"Pay"i`), a pattern, or a bare word. */
function literal(body: string): string {
  const [, json] = /^("(?:[^"\\]|\\.)*")[si]?$/.exec(body) ?? [];
  if (!json) return body;
  try {
    return quoted(String(JSON.parse(json)));
  } catch {
    return body;
  }
}

const quoted = (value: string) => `'${value.replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;
