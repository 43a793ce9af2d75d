import { contentName, TRACE_FILES } from "./names.ts";

/** The key of a trace's file. */
export const traceKey = (traceId: string, name: string): string => `traces/${traceId}/${name}`;

/** The key of a file of a loose blob, by its SHA-256 hex and what tells it from other files of the same bytes; '' in old names. */
export const blobKey = (hash: string, suffix: string): string =>
  `blobs/sha256/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}${suffix && `.${suffix}`}`;

const BLOB = /^blobs\/sha256\/.+\/([0-9a-f]{64})(?:\.(\w+))?$/;

/** Of which hash, and with which suffix, the file of a loose blob is; null for what lies where none belongs. */
export function blobOfKey(key: string): { hash: string; suffix: string } | null {
  const [, hash, suffix = ""] = BLOB.exec(key) ?? [];
  return hash !== undefined && blobKey(hash, suffix) === key ? { hash, suffix } : null;
}

/** The key of the record of a trace, and of a test run. */
export const traceRecordKey = (traceId: string): string => traceKey(traceId, TRACE_FILES.record);
export const testRunRecordKey = (id: string): string => `test-runs/${id}.json.zst`;

/** The key of the pack of a cold trace, by its SHA-256 hex; null in old names, which go on. */
export const coldKey = (traceId: string, sha256: string | null): string =>
  sha256 === null ? `${traceId}.zip` : contentName(`${traceId}.zip`, sha256);

const COLD = /^([0-9a-f-]{36})(?:\.[0-9a-f]{12})?\.zip$/;

/** The trace that a file of the cold folder is the pack of; null for another file. */
export const traceOfColdKey = (key: string): string | null => COLD.exec(key)?.[1] ?? null;

/** The key of the event file that a running trace grows, and that others take the place of. */
export const growingKey = (traceId: string): string => traceKey(traceId, TRACE_FILES.events);

/** The file's name in its key. */
export const nameOfKey = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

/** The key of a file that is named by a content's SHA-256, or by nothing but its name where that is null. */
export const keyFor = (file: { traceId: string; name: string; sha256: string | null }): string =>
  traceKey(file.traceId, file.sha256 === null ? file.name : contentName(file.name, file.sha256));

const KEY = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

export const isKey = (key: string): boolean => KEY.test(key);

/** @throws Error for what could lead out of the store */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is no key of a file.`);
  return key;
}
