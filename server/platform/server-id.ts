import { existsSync, readFileSync } from "node:fs";
import { writeFileAtomic } from "./files.ts";

const FORM = /^[0-9a-f-]{36}$/;

/**
 * The id of the server that serves a data folder, made when there is none. It lies in the folder, for a server keeps its folder
 * while its process, its port and (in a container) the name of its host change, and the folder's lock lets one process be
 * that server. A restart so knows its own lost work at once. A copy of the folder would be the same server: whoever
 * makes a second server from one leaves `server.id` out, as a backup does. What is no id is replaced.
 * @returns a UUID
 */
export function loadServerId(path: string, newId: () => string): string {
  const known = read(path);
  if (known !== null) return known;
  const isDamaged = existsSync(path);
  writeFileAtomic(path, `${newId()}\n`, { mode: 0o600, keepExisting: !isDamaged });
  return read(path)!;
}

function read(path: string): string | null {
  if (!existsSync(path)) return null;
  const text = readFileSync(path, "utf8").trim();
  return FORM.test(text) ? text : null;
}
