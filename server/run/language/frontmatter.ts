import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
} from "yaml";
import { cadenceProblem, cronProblem, isTimeZone } from "./cron.ts";
import { Frontmatter } from "./frontmatter-schema.ts";
import { nearest } from "./nearest.ts";
import { pathProblem } from "./paths.ts";
import { columnOf, type Problem } from "./problem.ts";

/** The frontmatter's first line, as a line of the file. */
const FIRST_LINE = 2;
/** In UTF-16 units: people write a few lines, and what is checked is checked on the server's main thread. */
const LONGEST = 32 * 1024;
/** What is wrong in so many places says no more in the next. */
const MOST_PROBLEMS = 50;

/** What a schedule may say, by the plan and the settings of whoever carries it out. */
export interface ScheduleRules {
  /** Regions that it may name. */
  regions: readonly string[];
  /** The shortest time between two fires, minutes. */
  leastMinutes: number;
}

/** Reads the YAML of a scenario file; every problem is told with its place in the file. */
export function readFrontmatter(
  file: string,
  yaml: string,
  rules: ScheduleRules | null = null,
): { frontmatter: Frontmatter; problems: [] } | { frontmatter: null; problems: Problem[] } {
  const refuse = (problem: Problem) => ({ frontmatter: null, problems: [problem] });
  if (yaml.length > LONGEST)
    return refuse({
      file,
      line: FIRST_LINE,
      column: 1,
      message: `the frontmatter has ${yaml.length} characters; at most ${LONGEST} were expected`,
      expected: [],
    });
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, uniqueKeys: true, merge: false });
  const text = yaml.split("\n");
  const problemAt = (offset: number, message: string, expected: string[] = []): Problem => {
    const { line, col } = lines.linePos(offset);
    return {
      file,
      line: line + FIRST_LINE - 1,
      column: columnOf(text[line - 1] ?? "", col - 1),
      message,
      expected,
    };
  };

  const unreadable = document.errors[0];
  if (unreadable) return refuse(problemAt(unreadable.pos[0], sentence(unreadable)));
  const aliases = aliasesOf(document);
  if (aliases.broken) {
    const { at, name } = aliases.broken;
    return refuse(problemAt(at, `"*${name}" stands for what "&${name}" names before it, and nothing is`));
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASED }) ?? {};
  } catch (error) {
    // All aliases are known, so there are too many of them within each other.
    if (!(error instanceof ReferenceError)) throw error;
    return refuse(problemAt(aliases.first, "aliases stand for too much here: write the values themselves"));
  }
  const problems: Problem[] = [];
  const told = new Set<string>();
  for (const { path, schema, value: found } of Value.Errors(Frontmatter, value)) {
    // Of what is wrong at one place, the first thing says it.
    if (told.has(path) || pathsAround(path).some((around) => told.has(around))) continue;
    if (told.size === MOST_PROBLEMS) break;
    told.add(path);
    problems.push(tell(document, path.split("/").slice(1).map(pointerPart), schema, found, problemAt));
  }
  if (problems.length > 0) {
    // As they stand in the file, which the schema does not follow.
    problems.sort((one, other) => one.line - other.line || one.column - other.column);
    return { frontmatter: null, problems };
  }

  const frontmatter = value as Frontmatter;
  const address = frontmatter.base_url;
  if (address !== undefined && !URL.canParse(address)) {
    const place = offsetOf(document, ["base_url"], "value");
    return refuse(problemAt(place, "base_url: an address such as http://127.0.0.1:4180 was expected"));
  }
  if (frontmatter.timeout !== undefined && !/[1-9]/.test(frontmatter.timeout)) {
    const place = offsetOf(document, ["timeout"], "value");
    return refuse(problemAt(place, "timeout: more than no time was expected, such as 90s or 5m"));
  }
  const zone = frontmatter.schedule?.timezone;
  if (zone !== undefined && !isTimeZone(zone)) {
    const place = offsetOf(document, ["schedule", "timezone"], "value");
    return refuse(problemAt(place, `"${zone}" is no IANA time zone such as Europe/Berlin`));
  }
  const cron = frontmatter.schedule?.cron;
  const wrong = cron === undefined ? null : cronProblem(cron);
  if (wrong) {
    const place = offsetOf(document, ["schedule", "cron"], "value");
    // After the quote, where there is one. Escapes and folded lines do not stand as they are read.
    const start = yaml.indexOf(cron!, place);
    const isPlain = start >= place && start <= place + 1;
    return refuse(problemAt(isPlain ? start + wrong.offset : place, `schedule.cron: ${wrong.message}`));
  }
  const cadence = cron === undefined ? null : cadenceProblem(cron, rules?.leastMinutes ?? 1);
  if (cadence) {
    const place = offsetOf(document, ["schedule", "cron"], "value");
    return refuse(problemAt(place, `schedule.cron: ${cadence.message}`));
  }
  for (const [at, region] of (rules ? (frontmatter.schedule?.regions ?? []) : []).entries()) {
    if (rules?.regions.includes(region)) continue;
    const place = offsetOf(document, ["schedule", "regions", at], "value");
    const known = rules?.regions ?? [];
    problems.push(
      problemAt(
        place,
        `schedule.regions: there is no "${region}" in this plan; there are ${known.join(", ")}`,
        [...known],
      ),
    );
  }
  for (const [at, clone] of (frontmatter.clones ?? []).entries()) {
    const outside = clone.har === undefined ? null : pathProblem(clone.har.replace(/^(\.\/)+/, ""));
    if (outside) {
      const named = offsetOf(document, ["clones", at, "har"], "value");
      problems.push(problemAt(named, `har: a file of the scenario's folder was expected; this ${outside}`));
      continue;
    }
    if ((clone.service === "record") === (clone.har !== undefined)) continue;
    const place = offsetOf(document, ["clones", at], "value");
    const message =
      clone.har === undefined
        ? "a record clone answers from a file: har: recorded.har was expected"
        : `har is for record clones; ${clone.service} makes its answers itself`;
    problems.push(problemAt(place, message, ["har"]));
  }
  return problems.length > 0 ? { frontmatter: null, problems } : { frontmatter, problems: [] };
}

/** As many nodes may come of aliases as of a long list. */
const MOST_ALIASED = 100;

/** Where aliases stand: the first, and the first that stands for nothing. Offsets in the YAML. */
function aliasesOf(document: Document): { first: number; broken: { at: number; name: string } | null } {
  let first: number | null = null;
  let broken: { at: number; name: string } | null = null;
  const anchors = new Set<string>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const at = node.range?.[0] ?? 0;
        first ??= at;
        if (!anchors.has(node.source)) broken ??= { at, name: node.source };
      } else if ("anchor" in node && typeof node.anchor === "string") anchors.add(node.anchor);
    },
  });
  return { first: first ?? 0, broken };
}

/** `/clones/0`, `/clones` of `/clones/0/match`. */
const pathsAround = (path: string): string[] =>
  path
    .split("/")
    .map((_, at, parts) => parts.slice(0, at).join("/"))
    .filter((around, at) => at > 1 || around !== "");

type Path = (string | number)[];

function tell(
  document: Document,
  path: Path,
  schema: TSchema,
  found: unknown,
  problemAt: (offset: number, message: string, expected?: string[]) => Problem,
): Problem {
  const key = String(path.at(-1) ?? "");
  const name = path.length > 0 ? path.join(".") : "frontmatter";
  const parent = parentSchema(path);
  const known = Object.keys((parent?.properties as object | undefined) ?? {});
  if (parent?.type === "object" && !known.includes(key)) {
    const near = nearest(key, known);
    const hint = near ? `did you mean "${near}"?` : `there are ${known.join(", ")}`;
    return problemAt(offsetOf(document, path, "key"), `"${key}" is no key here; ${hint}`, known);
  }
  const what = (schema.description ?? schemaAt(path)?.description ?? "another value") as string;
  if (found === undefined)
    return problemAt(
      offsetOf(document, path.slice(0, -1), "value"),
      `${name} is missing: ${what} was expected`,
      [key],
    );
  return problemAt(offsetOf(document, path, "value"), `${name}: ${what} was expected`);
}

function schemaAt(path: Path): TSchema | undefined {
  let schema: TSchema | undefined = Frontmatter;
  for (const part of path) {
    schema = (schema?.type === "array" ? schema.items : schema?.properties?.[part]) as TSchema | undefined;
  }
  return schema;
}

const parentSchema = (path: Path): TSchema | undefined =>
  path.length === 0 ? undefined : schemaAt(path.slice(0, -1));

/** Where a key or its value begins in the YAML; the start of what is around it when it is not there. */
function offsetOf(document: Document, path: Path, part: "key" | "value"): number {
  if (part === "key" && path.length > 0) {
    const parent = document.getIn(path.slice(0, -1), true);
    const map = path.length === 1 ? document.contents : parent;
    if (isMap(map)) {
      const pair = map.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(path.at(-1)),
      );
      if (pair && isNode(pair.key)) return pair.key.range?.[0] ?? 0;
    }
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isNode(node)) return node.range?.[0] ?? 0;
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1), "value");
}

const pointerPart = (part: string): string | number =>
  /^\d+$/.test(part) ? Number(part) : part.replaceAll("~1", "/").replaceAll("~0", "~");

/** The parser's message without the excerpt below it, and without what speaks of its own functions. */
function sentence({ code, message }: { code: string; message: string }): string {
  if (code === "MULTIPLE_DOCS") return "the frontmatter is one document of YAML; another one begins here";
  if (/call stack/i.test(message)) return "the frontmatter is nested too deeply";
  return (message.split("\n")[0] ?? message).replace(/ at line \d+, column \d+:?$/, "");
}
