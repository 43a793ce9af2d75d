import type { Json } from "../clones/types.ts";

/** One request to a third party, with what it was answered. */
export interface Observation {
  method: string;
  url: string;
  status: number;
  /** The headers that matter to whoever asks. */
  headers: Record<string, string>;
  /** JSON where it is JSON, else text; null when there was none. */
  body: Json;
  /** Of the answer's event, and when it came (epoch ms). */
  seq: number;
  ts: number;
  step_id: string | null;
}

/** A field in which the clone differs from production. An absent side has no such field. */
export interface FieldDiff {
  /** As production was asked. */
  request: string;
  /** JSON Pointer into `{ status, headers, body }`; "" is the whole answer: the request was not made there. */
  path: string;
  production?: Json;
  clone?: Json;
  /** In the second production observation. */
  repeated?: Json;
  production_seq: number | null;
  clone_seq: number | null;
}

/** Why a field that differs is not told as a difference. */
export type NoiseReason = "varies" | "identifier" | "time" | "not_repeated";

export interface Noise {
  request: string;
  path: string;
  reason: NoiseReason;
}

export interface Compared {
  diffs: FieldDiff[];
  noise: Noise[];
}

const DAY_MS = 24 * 60 * 60_000;
const MOST_DIFFS = 2000;
const DEEPEST = 40;

/**
 * What the clone answered otherwise than production, field by field, without noise: what two observations of production
 * differ in themselves, identifiers and times of the run.
 */
export function compareObservations(
  production: readonly Observation[],
  repeated: readonly Observation[],
  clone: readonly Observation[],
): Compared {
  const again = byOccurrence(repeated);
  const ofClone = byOccurrence(clone);
  const result: Compared = { diffs: [], noise: [] };
  const pairs = byOccurrence(production);
  const learned = learnNoise(pairs, again);
  for (const key of new Set([...pairs.keys(), ...ofClone.keys()])) {
    const a = pairs.get(key);
    const b = again.get(key);
    const c = ofClone.get(key);
    const one = (a ?? c) as Observation;
    const request = requestOf(one);
    const noise = learned.get(shapeOf(one)) ?? [];
    for (const { path, left, right } of differences(answerOf(a), answerOf(c))) {
      const reason = !b && a ? "not_repeated" : isNoise(noise, path) ? "varies" : alike(left, right, one.ts);
      if (reason !== null) {
        result.noise.push({ request, path, reason });
        continue;
      }
      if (result.diffs.length >= MOST_DIFFS) continue;
      const second = valueAt(answerOf(b), path);
      result.diffs.push({
        request,
        path,
        ...(left !== undefined && { production: left }),
        ...(right !== undefined && { clone: right }),
        ...(second !== undefined && { repeated: second }),
        production_seq: a?.seq ?? null,
        clone_seq: c?.seq ?? null,
      });
    }
  }
  return result;
}

export const requestOf = ({ method, url }: Observation): string => `${method} ${url}`;

/** Requests of the same shape are paired in the order in which they came. */
function byOccurrence(observations: readonly Observation[]): Map<string, Observation> {
  const counts = new Map<string, number>();
  const found = new Map<string, Observation>();
  for (const one of observations) {
    const shape = shapeOf(one);
    const occurrence = (counts.get(shape) ?? 0) + 1;
    counts.set(shape, occurrence);
    found.set(`${shape} ${occurrence}`, one);
  }
  return found;
}

/** The request without what is another in every run. */
function shapeOf({ method, url }: Observation): string {
  const parsed = URL.parse(url);
  if (!parsed) return `${method} ${url}`;
  const path = parsed.pathname.split("/").map((part) => (isIdentifier(part) ? ":id" : part));
  const query = [...parsed.searchParams].map(
    ([name, value]) => `${name}=${isIdentifier(value) ? ":id" : value}`,
  );
  return `${method} ${parsed.origin}${path.join("/")}?${query.sort().join("&")}`;
}

/** Paths of fields that differ between two observations of production, by the shape of the request. */
function learnNoise(
  first: ReadonlyMap<string, Observation>,
  second: ReadonlyMap<string, Observation>,
): Map<string, string[]> {
  const learned = new Map<string, string[]>();
  for (const [key, a] of first) {
    const b = second.get(key);
    if (!b) continue;
    const paths = differences(answerOf(a), answerOf(b)).map(({ path }) => template(path));
    if (paths.length > 0) learned.set(shapeOf(a), [...(learned.get(shapeOf(a)) ?? []), ...paths]);
  }
  return learned;
}

/** What varies in one element of a list varies in all. */
const template = (path: string): string => path.replace(/\/\d+(?=\/|$)/g, "/*");

const isNoise = (noise: readonly string[], path: string): boolean => {
  const wanted = template(path);
  return noise.some((known) => wanted === known || wanted.startsWith(`${known}/`));
};

/** Two values of a kind that is another in every run. */
function alike(left: Json | undefined, right: Json | undefined, ts: number): NoiseReason | null {
  if (typeof left === "string" && typeof right === "string" && isIdentifier(left) && isIdentifier(right))
    return prefixOf(left) === prefixOf(right) ? "identifier" : null;
  const times = [left, right].map(timeOf);
  return times.every((time) => time !== null && Math.abs(time - ts) < DAY_MS) ? "time" : null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** `pi_3Nx…`, a UUID, a long hexadecimal number. */
function isIdentifier(text: string): boolean {
  if (text.length > 100) return false;
  return UUID.test(text) || /^[0-9a-f]{12,}$/i.test(text) || /^[a-z]{2,8}_(?=\w*\d)\w{5,}$/i.test(text);
}

const prefixOf = (text: string): string => /^([a-z]{2,8})_/i.exec(text)?.[1] ?? "";

/** Epoch ms of what stands for a time: an ISO 8601 text with a time of day, seconds or milliseconds; else null. */
function timeOf(value: Json | undefined): number | null {
  if (typeof value === "number" && value > 1e9) return value > 1e11 ? value : value * 1000;
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}

const answerOf = (one: Observation | undefined): Json | undefined =>
  one && { status: one.status, headers: one.headers, body: one.body };

interface Difference {
  path: string;
  left: Json | undefined;
  right: Json | undefined;
}

/** Where two values differ, as JSON Pointers (RFC 6901) to the smallest parts. */
export function differences(
  left: Json | undefined,
  right: Json | undefined,
  path = "",
  depth = 0,
): Difference[] {
  if (left === right) return [];
  const [a, b] = [partsOf(left), partsOf(right)];
  if (!a || !b || Array.isArray(left) !== Array.isArray(right) || depth > DEEPEST)
    return Bun.deepEquals(left, right) ? [] : [{ path, left, right }];
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].flatMap((key) =>
    differences(a.get(key), b.get(key), `${path}/${escapePointer(key)}`, depth + 1),
  );
}

function partsOf(value: Json | undefined): Map<string, Json> | null {
  return value !== null && typeof value === "object" ? new Map(Object.entries(value)) : null;
}

const escapePointer = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

function valueAt(value: Json | undefined, path: string): Json | undefined {
  let at = value;
  for (const part of path.split("/").slice(1)) {
    at = at === undefined ? undefined : partsOf(at)?.get(part.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return at;
}
