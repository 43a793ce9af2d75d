import type { TestPlace } from "../../../store/records/test-run-tests.ts";
import type { TestRunPlace } from "../../../store/records/test-runs.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const encode = (place: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url");

/** What stands in a cursor; null when no list of this kind wrote it so. */
function decode(cursor: string, kind: string): unknown[] | null {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(place) && place[0] === kind && encode(place) === cursor ? place.slice(1) : null;
  } catch {
    return null;
  }
}

/** Opaque text for a place in the list of runs. */
export const encodeRunCursor = ({ startedAt, id }: TestRunPlace): string =>
  encode(["test-runs", startedAt, id]);

/** The place that a cursor stands for; null when the list of runs did not make it. */
export function decodeRunCursor(cursor: string): TestRunPlace | null {
  const [startedAt, id] = decode(cursor, "test-runs") ?? [];
  if (!Number.isSafeInteger(startedAt) || typeof id !== "string" || !UUID.test(id)) return null;
  return { startedAt: Number(startedAt), id };
}

/** Opaque text for a place in the list of a run's tests. */
export const encodeTestCursor = ({ file, line, key }: TestPlace): string =>
  encode(["tests", file, line, key]);

/** The place that a cursor stands for; null when no list of tests made it. */
export function decodeTestCursor(cursor: string): TestPlace | null {
  const [file, line, key] = decode(cursor, "tests") ?? [];
  if (typeof file !== "string" || !Number.isSafeInteger(line) || typeof key !== "string") return null;
  return { file, line: Number(line), key };
}
