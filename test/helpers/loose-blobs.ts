import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { blobKey } from "../../store/files/keys.ts";
import type { Store } from "../../store/store.ts";

/** Where the loose file of a hash lies, or would if it were there. */
export function loosePath({ layout }: Pick<Store, "layout">, hash: string): string {
  const path = join(layout.root, blobKey(hash, ""));
  const names = existsSync(dirname(path)) ? readdirSync(dirname(path)) : [];
  return join(dirname(path), names.find((name) => name.startsWith(hash)) ?? basename(path));
}
