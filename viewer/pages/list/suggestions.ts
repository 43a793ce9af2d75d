import {
  parseSearch,
  TOKEN_NAMES,
  TOKENS,
  type TokenName,
  writeToken,
} from "../../../server/trace/format/search-tokens.ts";
import type { Facets } from "../../api/answers.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { oneLine } from "../../ui/text.ts";

export interface Suggestion {
  /** Takes the place of the piece at the caret; what ends in a colon waits for its value. */
  text: string;
  about: string;
  count?: number;
}

export interface Suggestions {
  start: number;
  end: number;
  items: Suggestion[];
}

const MOST = 10;
const KINDS = [
  "console.error",
  "console.*",
  "network.*",
  "agent.action",
  "agent.thought",
  "assertion",
  "dom.snapshot",
  "clone.state",
  "error_injection",
  "latency_injection",
  "clock.advance",
];
const AGES: [string, string][] = [
  ["24h", "the last 24 hours"],
  ["7d", "the last 7 days"],
  ["30d", "the last 30 days"],
  ["today", ""],
  ["yesterday", ""],
];

/** What may be typed at the caret: names of tokens, or values of the one that it stands in. */
export function suggest(
  text: string,
  caret: number,
  facets: Facets | null,
  options: { all?: boolean } = {},
): Suggestions {
  const before = text.slice(0, caret);
  const start = pieceStart(before);
  const rest = /^[^\s"]*/.exec(text.slice(caret))?.[0] ?? "";
  const end = caret + rest.length;
  const typed = before.slice(start);
  const token = /^(-?)([a-z]+):"?([^"]*)$/i.exec(typed);
  const name = token?.[2]?.toLowerCase() as TokenName | undefined;
  if (token && name && TOKEN_NAMES.includes(name)) {
    if (token[1] && !TOKENS[name].canNegate) return { start, end, items: [] };
    const wanted = token[3]!.toLowerCase();
    const fitting = values(name, facets).filter(
      ({ value, about }) => value.toLowerCase().includes(wanted) || about.toLowerCase().includes(wanted),
    );
    const items = fitting.map(({ value, about, count }) => ({
      text: (token[1] ?? "") + writeToken(name, value),
      about,
      ...(count === undefined ? {} : { count }),
    }));
    const isChosen = items.length === 1 && items[0]?.text === typed + rest;
    return { start, end, items: isChosen ? [] : items.slice(0, MOST) };
  }
  if (typed === "" && !options.all) return { start, end, items: [] };
  const isNegated = typed.startsWith("-");
  const bare = typed.slice(isNegated ? 1 : 0).toLowerCase();
  const used = new Set(parseSearch(text, Date.now()).flatMap(({ token: one }) => (one ? [one.name] : [])));
  const items = TOKEN_NAMES.filter(
    (one) => one.startsWith(bare) && !used.has(one) && (!isNegated || TOKENS[one].canNegate),
  ).map((one) => ({ text: `${isNegated ? "-" : ""}${one}:`, about: TOKENS[one].about }));
  return { start, end, items };
}

/** Where the piece begins that ends with the text: after the last space that stands in no quotes. */
function pieceStart(text: string): number {
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /\s/.test(text[at]!)) start = at + 1;
  }
  return start;
}

interface Value {
  value: string;
  about: string;
  count?: number;
}

function values(name: TokenName, facets: Facets | null): Value[] {
  const counted = (counts: Partial<Record<string, number>> | undefined): Value[] =>
    (TOKENS[name].values ?? []).map((value) => ({ value, about: "", count: counts?.[value] ?? 0 }));
  switch (name) {
    case "status":
      return counted(facets?.status);
    case "source":
      return counted(facets?.source);
    case "tier":
      return counted(facets?.tier);
    case "pinned":
      return (TOKENS.pinned.values ?? []).map((value) => ({ value, about: "" }));
    case "scenario":
      return (facets?.scenarios ?? []).map(({ slug, title, count }) => ({
        value: slug,
        about: title === slug ? "" : oneLine(title, 100),
        count,
      }));
    case "sig":
      return (facets?.signatures ?? []).map(({ signature, message, count }) => ({
        value: signature,
        about: failureLine(message ?? "", 100),
        count,
      }));
    case "after":
    case "before":
      return AGES.map(([value, about]) => ({ value, about: name === "after" ? about : "" }));
    case "kind":
      return KINDS.map((value) => ({ value, about: "" }));
    case "dur":
      return [">5s", "<500ms", "1s..10s"].map((value) => ({ value, about: "" }));
    case "size":
      return [">10MB", "<500kB", "1MB..1GB"].map((value) => ({ value, about: "" }));
    default:
      return [];
  }
}
