import { contentName, TRACE_FILES } from "./names.ts";

/** The key of a trace's file. */
export const traceKey = (traceId: string, name: string): string => `traces/${traceId}/${name}`;

/** The key of a loose blob, by its SHA-256 hex. */
export const blobKey = (hash: string): string =>
  `blobs/sha256/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;

/** The key of the pack of a cold trace. */
export const coldKey = (traceId: string): string => `${traceId}.zip`;

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
