import type { Action, CompiledScenario, CompiledStep, Text } from "./ast.ts";
import { readDocument, type StepLine } from "./document.ts";
import { readFrontmatter, type ScheduleRules } from "./frontmatter.ts";
import type { Frontmatter } from "./frontmatter-schema.ts";
import { columnOf, type Problem, StepProblem } from "./problem.ts";
import { type ReadStep, readStep } from "./steps.ts";
import { tokenize } from "./tokens.ts";

export interface ScenarioFile {
  /** As it is to be named in problems. */
  name: string;
  text: string;
}

/** What `use` means by a slug: null for nothing, and the names of the files when several have it. */
export type FindScenario = (slug: string) => ScenarioFile | { sharedBy: readonly string[] } | null;

export type Compiled =
  | { scenario: CompiledScenario; problems: [] }
  /** In the order of the file. */
  | { scenario: null; problems: Problem[] };

/** A scenario is written by people; what is larger is something else. */
const MAX_TEXT = 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const MAX_STEPS = 2000;
/** So many `use` at most: files that use others twice each would double with every level, though they hold no step. */
const MAX_USES = 2000;
/** Whoever made so many mistakes made the same one again and again. */
export const MAX_PROBLEMS = 100;

/**
 * Compiles a scenario file, with those that it uses.
 * @param rules what its schedule may say; without them regions may have any name
 */
export function compileScenario(
  file: ScenarioFile,
  find: FindScenario,
  rules: ScheduleRules | null = null,
): Compiled {
  const problems: Problem[] = [];
  const steps: CompiledStep[] = [];
  /** By slug; a file that many use is read once. */
  const known = new Map<string, ReadFile | { sharedBy: readonly string[] } | null>();
  let uses = 0;
  const main = read(file, problems, rules);
  if (main.frontmatter) collect(main, [main.frontmatter.slug]);
  if (main.frontmatter && main.steps.length === 0 && problems.length === 0) {
    const message = 'there is no step: numbered lines are steps, such as 1. go to "/"';
    problems.push({ file: file.name, line: 1, column: 1, message, expected: [] });
  }
  if (main.frontmatter && problems.length === 0) {
    const services = new Set(main.frontmatter.clones?.map(({ service }) => service));
    problems.push(...unknownReferences(steps, services));
  }
  if (!main.frontmatter || problems.length > 0) return { scenario: null, problems: firstOf(problems) };
  return { scenario: compiled(main.frontmatter, steps), problems: [] };

  function collect(source: ReadFile, path: readonly string[]): void {
    for (const { line, step } of source.steps) {
      const place = (offset: number) => ({
        file: source.name,
        line: line.line,
        column: columnOf(line.text, offset),
      });
      if (steps.length >= MAX_STEPS) {
        const message = `there are more than ${MAX_STEPS} steps`;
        problems.push({ ...place(line.offset), message, expected: [] });
        return;
      }
      if ("action" in step) {
        const index = steps.length + 1;
        steps.push({
          id: `s${index}`,
          index,
          at: place(line.offset),
          source: line.text.slice(line.offset).trim(),
          from: path.length > 1 ? (path.at(-1) ?? null) : null,
          within_ms: step.within_ms,
          action: step.action,
        });
        continue;
      }
      const tell = (message: string) => problems.push({ ...place(step.useOffset), message, expected: [] });
      if (path.includes(step.use)) {
        tell(`"${step.use}" would use itself: ${[...path, step.use].join(" → ")}`);
        continue;
      }
      uses += 1;
      if (uses > MAX_USES) {
        if (uses === MAX_USES + 1) tell(`scenarios are used more than ${MAX_USES} times here`);
        return;
      }
      const inner = readUsed(step.use);
      if (!inner) tell(`there is no scenario "${step.use}" in this folder or below`);
      else if ("sharedBy" in inner)
        tell(`"${step.use}" is the slug of ${listed(inner.sharedBy)}: one of its own was expected for each`);
      else if (!inner.frontmatter || inner.isBroken)
        tell(`"${step.use}" cannot be used before its own problems are solved`);
      else collect(inner, [...path, step.use]);
      if (steps.length >= MAX_STEPS) return;
    }
  }

  /** Its own problems are told once. */
  function readUsed(slug: string): ReadFile | { sharedBy: readonly string[] } | null {
    const before = known.get(slug);
    if (before !== undefined) return before;
    const used = find(slug);
    const result = used && "text" in used ? read(used, problems, null) : used;
    known.set(slug, result);
    return result;
  }
}

function firstOf(problems: Problem[]): Problem[] {
  const last = problems[MAX_PROBLEMS - 1];
  if (!last || problems.length === MAX_PROBLEMS) return problems;
  const message = `${last.message} (and more problems, which are told when some are solved)`;
  return [...problems.slice(0, MAX_PROBLEMS - 1), { ...last, message }];
}

const listed = (names: readonly string[]): string => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

interface ReadFile {
  name: string;
  isBroken: boolean;
  frontmatter: Frontmatter | null;
  steps: { line: StepLine; step: ReadStep }[];
}

/** Reads every line, so that all that is wrong is told at once. */
function read(file: ScenarioFile, problems: Problem[], rules: ScheduleRules | null): ReadFile {
  const before = problems.length;
  if (file.text.length > MAX_TEXT) {
    const message = `the file has ${file.text.length} characters; at most ${MAX_TEXT} were expected`;
    problems.push({ file: file.name, line: 1, column: 1, message, expected: [] });
    return { name: file.name, isBroken: true, frontmatter: null, steps: [] };
  }
  const document = readDocument(file.text);
  const result: ReadFile = { name: file.name, isBroken: false, frontmatter: null, steps: [] };
  if (document.frontmatter === null) {
    const message = document.isOpen
      ? "the frontmatter that begins here is not closed with ---"
      : "a scenario begins with its frontmatter: ---, then slug and title, then ---";
    problems.push({ file: file.name, line: 1, column: 1, message, expected: ["---"] });
  } else {
    const read = readFrontmatter(file.name, document.frontmatter, rules);
    result.frontmatter = read.frontmatter;
    problems.push(...read.problems);
  }
  // One more than there may be says that there are too many.
  for (const line of document.steps.slice(0, MAX_STEPS + 1)) {
    if (problems.length > MAX_PROBLEMS) break;
    try {
      result.steps.push({ line, step: readStep(line.text, line.offset) });
    } catch (error) {
      if (!(error instanceof StepProblem)) throw error;
      const { offset, message, expected } = error;
      problems.push({
        file: file.name,
        line: line.line,
        column: columnOf(line.text, offset),
        message,
        expected,
      });
    }
  }
  if (document.unclosed) {
    const { line, what } = document.unclosed;
    const closing = what === "comment" ? "-->" : "a fence like the one that opens it";
    const message = `the ${what} that begins here is not closed, so no line below it is a step: ${closing} was expected`;
    problems.push({ file: file.name, line, column: 1, message, expected: [] });
  }
  result.isBroken = problems.length > before;
  return result;
}

/** Variables that no step before has set, and clones that the frontmatter does not name. */
function unknownReferences(steps: readonly CompiledStep[], services: ReadonlySet<string>): Problem[] {
  const problems: Problem[] = [];
  const variables = new Set<string>();
  for (const step of steps) {
    for (const ref of referencesIn(step.action)) {
      const [namespace, name = ""] = ref.split(".");
      const isKnown =
        namespace === "vars" ? variables.has(name) : namespace === "clones" ? services.has(name) : true;
      if (isKnown) continue;
      const message =
        namespace === "vars"
          ? `no step before this one sets "${name}"`
          : `the frontmatter names no clone of "${name}"`;
      const column =
        step.at.column + columnOf(step.source, Math.max(0, step.source.indexOf(`\${${ref}}`))) - 1;
      problems.push({ ...step.at, column, message, expected: [] });
    }
    if (step.action.verb === "set") variables.add(step.action.name);
  }
  return problems;
}

/** Every reference within an action, in the order in which they stand there. */
export function referencesIn(action: Action): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (value !== null && typeof value === "object") {
      if ("ref" in value && typeof value.ref === "string") found.push(value.ref);
      else Object.values(value).forEach(visit);
    }
  };
  visit(action);
  return found;
}

function compiled(frontmatter: Frontmatter, steps: CompiledStep[]): CompiledScenario {
  const { schedule, mender } = frontmatter;
  const secrets = steps
    .flatMap(({ action }) => referencesIn(action))
    .flatMap((ref) => (ref.startsWith("secrets.") ? [ref.slice("secrets.".length)] : []));
  return {
    version: 1,
    slug: frontmatter.slug,
    title: frontmatter.title,
    base_url: frontmatter.base_url ?? null,
    covers: frontmatter.covers ?? [],
    schedule: schedule
      ? {
          cron: schedule.cron ?? "*/5 * * * *",
          timezone: schedule.timezone ?? "UTC",
          regions: schedule.regions ?? ["us-east-1"],
          shadow_prod: schedule.shadow_prod ?? false,
        }
      : null,
    mender: mender ? { mode: "suggestive", cache: mender.cache ?? "auto" } : null,
    clones: frontmatter.clones ?? [],
    idempotent: frontmatter.idempotent ?? false,
    timeout_ms: frontmatter.timeout === undefined ? DEFAULT_TIMEOUT_MS : durationOf(frontmatter.timeout),
    secrets: [...new Set(secrets)].sort(),
    steps,
  };
}

function durationOf(text: string): number {
  const token = tokenize(text, 0)[0];
  return token?.type === "duration" ? token.ms : DEFAULT_TIMEOUT_MS;
}

/** Text as it was written, with its references in place: for titles, logs and messages. */
export function showText(text: Text): string {
  if (typeof text === "string") return text;
  return text.parts.map((part) => (typeof part === "string" ? part : `\${${part.ref}}`)).join("");
}
