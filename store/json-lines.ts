/** A JSON text read with the line of every value, so that complaints can say where. */
export interface LocatedJson {
  value: unknown;
  /** Line (from 1) of the value at a JSON Pointer (RFC 6901); a member's line is that of its name. */
  lineOf(pointer: string): number;
}

/** What is wrong with a JSON text, and on which line. */
export class JsonSyntaxError extends Error {
  override name = "JsonSyntaxError";
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const MAX_DEPTH = 64;

/**
 * Reads JSON (RFC 8259). A name that stands twice in one object is an error: the earlier one would be lost in silence.
 * @throws JsonSyntaxError
 */
export function parseLocatedJson(text: string): LocatedJson {
  const lines = new Map<string, number>();
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let line = 1;

  const fail = (message: string): never => {
    throw new JsonSyntaxError(message, line);
  };

  function skipSpace() {
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 10) line++;
      else if (code !== 32 && code !== 9 && code !== 13) return;
    }
  }

  function expect(char: string) {
    skipSpace();
    if (text[at] !== char)
      fail(
        `expected "${char}"${at >= text.length ? " but the file ends" : ` before ${JSON.stringify(text[at])}`}`,
      );
    at++;
  }

  function readString(): string {
    const end = /"(?:[^"\\\n]|\\.)*"/y;
    end.lastIndex = at;
    const raw = end.exec(text)?.[0] ?? fail("expected text in double quotes");
    at += raw.length;
    return readLiteral(raw) as string;
  }

  function readLiteral(raw: string): unknown {
    try {
      return JSON.parse(raw);
    } catch {
      return fail("this is not JSON");
    }
  }

  function readValue(pointer: string, depth: number): unknown {
    skipSpace();
    if (depth > MAX_DEPTH) fail("nested too deeply");
    if (!lines.has(pointer)) lines.set(pointer, line);
    const char = text[at];
    if (char === undefined) fail("expected a value but the file ends");
    if (char === "{") return readObject(pointer, depth);
    if (char === "[") return readArray(pointer, depth);
    if (char === '"') return readString();
    const word = /[-+.\w]+/y;
    word.lastIndex = at;
    const raw = word.exec(text)?.[0] ?? fail(`expected a value before ${JSON.stringify(char)}`);
    at += raw.length;
    return readLiteral(raw);
  }

  function readObject(pointer: string, depth: number): Record<string, unknown> {
    const members = new Map<string, unknown>();
    at++;
    skipSpace();
    if (text[at] === "}") at++;
    else
      for (;;) {
        skipSpace();
        const name = readString();
        const child = `${pointer}/${escapePointer(name)}`;
        // As a member it would be lost to whoever looks the members up.
        if (name === "__proto__") fail('"__proto__" cannot be a name');
        if (members.has(name)) fail(`"${name}" stands twice`);
        lines.set(child, line);
        expect(":");
        members.set(name, readValue(child, depth + 1));
        skipSpace();
        if (text[at] === ",") at++;
        else break;
      }
    if (members.size > 0) expect("}");
    return Object.fromEntries(members);
  }

  function readArray(pointer: string, depth: number): unknown[] {
    const items: unknown[] = [];
    at++;
    skipSpace();
    if (text[at] === "]") {
      at++;
      return items;
    }
    for (;;) {
      items.push(readValue(`${pointer}/${items.length}`, depth + 1));
      skipSpace();
      if (text[at] !== ",") break;
      at++;
    }
    expect("]");
    return items;
  }

  const value = readValue("", 0);
  skipSpace();
  if (at < text.length) fail("something follows the end of the document");
  return { value, lineOf: (pointer) => lines.get(pointer) ?? 1 };
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
