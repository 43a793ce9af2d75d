import type { ScenarioFile } from "./compile.ts";
import { readDocument } from "./document.ts";
import { readFrontmatter } from "./frontmatter.ts";

/** What `use` finds among scenario files: by slug. Of two files with one slug the first is taken. */
export function indexBySlug(files: readonly ScenarioFile[]): (slug: string) => ScenarioFile | null {
  const bySlug = new Map<string, ScenarioFile>();
  for (const file of files) {
    const slug = slugOf(file);
    if (slug !== null && !bySlug.has(slug)) bySlug.set(slug, file);
  }
  return (slug) => bySlug.get(slug) ?? null;
}

/** The slug that a file gives itself; null when its frontmatter cannot be read. */
export function slugOf(file: ScenarioFile): string | null {
  const { frontmatter } = readDocument(file.text);
  return frontmatter === null ? null : (readFrontmatter(file.name, frontmatter).frontmatter?.slug ?? null);
}
