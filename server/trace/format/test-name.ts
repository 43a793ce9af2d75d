import { createHash } from "node:crypto";

/** What a test is known by, the same in every run. */
export interface TestIdentity {
  /** "" when the config names no projects. */
  project: string;
  /** Relative to the config's root, with / on every system. */
  file: string;
  /** Of the suites and the test. */
  titles: readonly string[];
}

const LONGEST = 64;
const HASH = 8;
const LONGEST_TITLE = 300;
const DEFAULT = "{project}-{file}-{title}-{hash}";

/**
 * The slug of a test's scenario: unique, since the default and every slug that had to be cut end in a hash of what the
 * test is known by; and stable, since it depends on nothing else.
 * @param template may name `{project}`, `{file}`, `{title}` and `{hash}`
 */
export function slugOf(test: TestIdentity, template = DEFAULT): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([test.project, test.file, test.titles]))
    .digest("hex")
    .slice(0, HASH);
  const parts: Record<string, string> = {
    project: test.project,
    file: test.file.replace(/^.*\//, "").replace(/(\.(spec|test|e2e))?\.[cm]?[jt]sx?$/i, ""),
    title: test.titles.join(" "),
    hash: "",
  };
  const text = slugify(template.replace(/\{(\w+)\}/g, (whole, name: string) => parts[name] ?? whole));
  const needsHash = template.includes("{hash}") || text === "" || text.length > LONGEST;
  if (!needsHash) return text;
  const head = text.slice(0, LONGEST - HASH - 1).replace(/(?<!-)-+$/, "");
  return head === "" ? hash : `${head}-${hash}`;
}

/** What people call the test, on one line. */
export function titleOf({ titles, project, file }: TestIdentity): string {
  const text = titles.filter((title) => title.trim() !== "").join(" › ") || file;
  const line = oneLine(text);
  const cut = line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1).toWellFormed()}…` : line;
  return project === "" ? cut : `${cut} [${oneLine(project).slice(0, 80)}]`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g;

export const oneLine = (text: string): string => text.toWellFormed().replace(CONTROLS, " ").trim();

const slugify = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "");

/** What a test is known by within a run, 32 hex digits: the same in every run. */
export function testKeyOf({ project, file, titles }: TestIdentity): string {
  return createHash("sha256")
    .update(JSON.stringify([project, file, titles]))
    .digest("hex")
    .slice(0, 32);
}
