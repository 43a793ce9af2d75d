import MiniSearch from "minisearch";
import type { DocsSection } from "./document.ts";

export interface Found {
  /** Of the heading. */
  path: string;
  heading: string;
  /** The line that was found; every second part is what matched. */
  line: string[];
}

/** What was found in one topic, best first. */
export interface FoundGroup {
  title: string;
  found: Found[];
}

const MOST = 40;
const MOST_OF_ONE = 8;
/** Letters of a line before what matched. */
const BEFORE = 40;
const LONGEST = 180;

/** A search over all sections that answers at once: groups in the order of their best. */
export function createDocsIndex(sections: readonly DocsSection[]): (text: string) => FoundGroup[] {
  const index = new MiniSearch<{ id: number; title: string; heading: string; text: string }>({
    fields: ["heading", "title", "text"],
    searchOptions: {
      prefix: true,
      combineWith: "AND",
      boost: { heading: 4, title: 2 },
      fuzzy: (term) => (term.length > 4 ? 0.15 : false),
    },
  });
  index.addAll(
    sections.map(({ title, heading, lines }, id) => ({ id, title, heading, text: lines.join("\n") })),
  );
  return (text) => {
    const groups = new Map<string, FoundGroup>();
    for (const { id, terms } of index.search(text).slice(0, MOST)) {
      const section = sections[id as number]!;
      const group = groups.get(section.title) ?? { title: section.title, found: [] };
      groups.set(section.title, group);
      if (group.found.length === MOST_OF_ONE) continue;
      const { path, heading } = section;
      group.found.push({ path, heading, line: matchedLine(section.lines, terms) });
    }
    return [...groups.values()];
  };
}

/** The line with the most of the terms, cut around the first, in parts of which every second matched. */
function matchedLine(lines: readonly string[], terms: readonly string[]): string[] {
  const pattern = new RegExp(`(${terms.map(escaped).join("|")})`, "gi");
  const kinds = (line: string) => new Set([...line.matchAll(pattern)].map(([one]) => one.toLowerCase())).size;
  let best = lines[0] ?? "";
  for (const line of lines) if (kinds(line) > kinds(best)) best = line;
  const at = Math.max(0, best.search(pattern));
  const from = at > BEFORE ? at - BEFORE : 0;
  const cut = best.slice(from, from + LONGEST);
  return `${from > 0 ? "…" : ""}${cut}${from + LONGEST < best.length ? "…" : ""}`.split(pattern);
}

const escaped = (term: string): string => term.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
