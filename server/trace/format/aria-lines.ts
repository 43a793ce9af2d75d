/** A line of an aria snapshot, as Playwright prints and reads it: `- row "Tea" [selected]: 3 left`. */
interface AriaLine {
  line: string;
  role: string;
  name: Said;
  attributes: string[];
  text: Said;
}

/** What a part of a line says, read once: it is compared with many. */
interface Said {
  /** Empty where it says nothing. */
  plain: string;
  /** As what is wanted: the fixed parts of a pattern, or the text; null where anything will do. */
  wanted: readonly string[] | string | null;
}

const LINE =
  /^(\/?[\w-]+)(?: ("(?:\\.|[^"\\]){0,2000}"|\/(?:\\.|[^/\\]){0,2000}\/))?((?: \[[^\]]{0,200}\])*)(?::(?: (.*))?)?$/;
const MOST_LINES = 500;
const MOST_SHOWN = 10;
/** In the place of what the page has, where it has nothing of these roles that the snapshot does not want. */
const NOTHING = "<no such line>";

/**
 * What an aria snapshot wants that nothing on the page is like, and what of the same roles the page has that the snapshot does not want.
 * A snapshot names a part of a page, so that most of what differs between the two is no difference. Null where every line has its like: then
 * order or nesting differ.
 */
export function ariaDifference(
  expected: readonly string[],
  received: readonly string[],
): { expected: string; received: string } | null {
  const [wanted, there] = [expected, received].map((lines) => lines.slice(0, MOST_LINES).flatMap(read)) as [
    AriaLine[],
    AriaLine[],
  ];
  const byRole = Map.groupBy(there, ({ role }) => role);
  const missing = wanted.filter((one) => !byRole.get(one.role)?.some((other) => isLike(one, other)));
  if (missing.length === 0) return null;
  const roles = new Set(missing.map(({ role }) => role));
  const instead = there.filter((other) => roles.has(other.role) && !wanted.some((one) => isLike(one, other)));
  return { expected: shown(missing), received: instead.length === 0 ? NOTHING : shown(instead) };
}

const shown = (lines: readonly AriaLine[]): string =>
  [...lines.slice(0, MOST_SHOWN).map(({ line }) => line), ...(lines.length > MOST_SHOWN ? ["…"] : [])].join(
    "\n",
  );

/** Nothing of what says how lines are compared, such as `/children: equal`. */
function read(given: string): AriaLine[] {
  const line = given.trim();
  const bare = line
    .replace(/^- /, "")
    // YAML puts a key with a colon in it in quotes.
    .replace(/^'((?:[^']|''){0,4000})'(?=:|$)/, (_, key: string) => key.replaceAll("''", "'"));
  const [, role, name, attributes = "", text] = LINE.exec(bare) ?? [];
  return role === undefined || role === "/children"
    ? []
    : [
        {
          line: line.replace(/:$/, ""),
          role,
          name: saidBy(name),
          attributes: attributes.match(/\[[^\]]*\]/g) ?? [],
          text: saidBy(text),
        },
      ];
}

const isLike = (wanted: AriaLine, other: AriaLine): boolean =>
  wanted.role === other.role &&
  says(wanted.name, other.name) &&
  says(wanted.text, other.text) &&
  wanted.attributes.every((one) => other.attributes.includes(one));

/** Whether a text is what is wanted: anything where nothing is, the same words, or the fixed parts of a pattern in their order. */
function says({ wanted }: Said, { plain }: Said): boolean {
  if (wanted === null) return true;
  if (typeof wanted === "string") return wanted === plain;
  let at = 0;
  for (const part of wanted) {
    const found = plain.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

function saidBy(text: string | undefined): Said {
  if (text === undefined) return { plain: "", wanted: null };
  const plain = text
    .replace(/^"(.*)"$/s, (_, quoted: string) => quoted.replace(/\\(.)/g, "$1"))
    .replace(/\s+/g, " ")
    .trim();
  return { plain, wanted: /^\/.*\/$/.test(text) ? fixedParts(text.slice(1, -1)) : plain };
}

/** The parts of a regular expression that stand for themselves. A pattern out of a recording is not run: it may take for ever. */
export const fixedParts = (pattern: string): string[] =>
  pattern
    .split(/\\\w|\[[^\]]*\]|\{[^}]*\}|(?<!\\)[.*+?^$()|]+/g)
    .filter((part) => part !== "")
    .map((part) => part.replace(/\\(.)/g, "$1"));
