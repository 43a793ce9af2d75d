import type { FindScenario, ScenarioFile } from "./compile.ts";
import { readDocument } from "./document.ts";
import { readFrontmatter } from "./frontmatter.ts";

/** What `use` finds among scenario files: by slug. */
export function indexBySlug(files: readonly ScenarioFile[]): FindScenario {
  // Most files use none.
  let bySlug: Map<string | null, ScenarioFile[]> | null = null;
  return (slug) => {
    bySlug ??= Map.groupBy(files, slugOf);
    const [first, ...others] = bySlug.get(slug) ?? [];
    if (!first) return null;
    return others.length === 0 ? first : { sharedBy: [first, ...others].map(({ name }) => name) };
  };
}

/** The slug that a file gives itself; null when its frontmatter cannot be read. */
export function slugOf(file: ScenarioFile): string | null {
  const { frontmatter } = readDocument(file.text);
  return frontmatter === null ? null : (readFrontmatter(file.name, frontmatter).frontmatter?.slug ?? null);
}
