import type { Static } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { LowSync, type SyncAdapter } from "lowdb";
import { TextFileSync } from "lowdb/node";
import { describeSchema } from "./describe-schema.ts";
import { JsonSyntaxError, type LocatedJson, parseLocatedJson } from "./json-lines.ts";
import { SettingsSchema } from "./settings-schema.ts";
import { AN_ORIGIN, webOrigin } from "./web-origin.ts";

/** settings.json with its defaults filled in (decisions, section 1). */
export type Settings = Static<typeof SettingsSchema>;

/** settings.json cannot be used; the message names the file, the line and the key, and what would be right. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** What holds without a settings.json. */
export function defaultSettings(): Settings {
  return fill({});
}

/**
 * Reads and checks settings.json. A missing file means the defaults; the file is never written.
 * @throws SettingsError
 */
export function loadSettings(path: string): Settings {
  const settings = new LowSync<Settings>(checkedFile(path), defaultSettings());
  settings.read();
  return settings.data;
}

function checkedFile(path: string): SyncAdapter<Settings> {
  const file = new TextFileSync(path);
  return {
    read() {
      const text = file.read();
      return text === null ? null : parseSettings(text, path);
    },
    write() {
      throw new SettingsError(`${path} belongs to the person who edits it and is not written.`);
    },
  };
}

/**
 * The settings that a text says. `path` only names it in errors.
 * @throws SettingsError
 */
export function parseSettings(text: string, path: string): Settings {
  const located = locate(text, path);
  if (typeof located.value !== "object" || located.value === null || Array.isArray(located.value))
    throw new SettingsError(`${path}, line 1: the document must be an object.`);
  const filled = fill(located.value);
  // A key with a missing default is filled, so that what is left is what the person wrote wrongly.
  const problem = Value.Errors(SettingsSchema, filled).First();
  const wrong = problem
    ? explain(problem, located)
    : (wrongOrigin(filled, located) ?? wrongProxy(filled, located));
  if (!wrong) return filled;
  throw new SettingsError(`${path}, line ${wrong.line}: "${wrong.key}" ${wrong.message}.`);
}

/** Whoever goes through another's proxy leaves it to that one where it connects. */
function wrongProxy({ browser, regions }: Settings, located: LocatedJson): Wrong | null {
  if (browser.allow_private_targets) return null;
  const [name] = Object.entries(regions).find(([, { proxy }]) => proxy) ?? [];
  if (name === undefined) return null;
  return {
    key: `regions.${name}.proxy`,
    line: located.lineOf(`/regions/${name}/proxy`),
    message:
      'cannot stand beside "browser.allow_private_targets": false, since a proxy itself decides what it connects to',
  };
}

function locate(text: string, path: string): LocatedJson {
  try {
    return parseLocatedJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw new SettingsError(`${path}, line ${error.line}: ${error.message}.`);
    throw error;
  }
}

function fill(value: unknown): Settings {
  return Value.Default(SettingsSchema, value) as Settings;
}

interface Wrong {
  key: string;
  line: number;
  message: string;
}

/** The first origin of a secret that is none, which a schema cannot tell. */
function wrongOrigin({ secrets }: Settings, located: LocatedJson): Wrong | null {
  for (const [name, secret] of Object.entries(secrets)) {
    const origins = typeof secret === "string" ? [] : (secret.origins ?? []);
    const at = origins.findIndex((origin) => webOrigin(origin) === null);
    if (at === -1) continue;
    const line = located.lineOf(`/secrets/${name}/origins/${at}`);
    return { key: `secrets.${name}.origins.${at}`, line, message: `must be ${AN_ORIGIN}` };
  }
  return null;
}

function explain(problem: ValueError, located: LocatedJson): Wrong {
  // A choice between shapes reports only itself; what is wrong inside the shape that was meant says more.
  const inner = innerProblem(problem);
  if (inner) return explain(inner, located);
  const at = { key: problem.path.slice(1).replaceAll("/", "."), line: located.lineOf(problem.path) };
  if (problem.type === ValueErrorType.ObjectAdditionalProperties)
    return { ...at, message: `is not a setting${known(problem)}` };
  if (problem.type === ValueErrorType.ObjectRequiredProperty)
    return { ...at, line: located.lineOf(parentOf(problem.path)), message: "is missing" };
  return { ...at, message: `must be ${describeSchema(problem.schema)}` };
}

function innerProblem(problem: ValueError): ValueError | undefined {
  if (problem.type !== ValueErrorType.Union) return undefined;
  return problem.errors
    .flatMap((errors) => [...errors])
    .find((error) => error.path.length > problem.path.length);
}

function known(problem: ValueError): string {
  const { properties, patternProperties } = problem.schema as Record<string, Record<string, unknown>>;
  if (patternProperties) return `; names here match ${Object.keys(patternProperties).join(" or ")}`;
  return properties ? `; known here: ${Object.keys(properties).join(", ")}` : "";
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}
