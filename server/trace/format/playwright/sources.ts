import { createHash } from "node:crypto";
import type { Context } from "./context.ts";

/**
 * Gives the frames of a context's calls and errors the source file they lie in, where the archive has it: archives name sources by
 * the SHA-1 of their path, since version 10 as `src/<sha1>.<extension>`, before as `resources/src@<sha1>.txt`.
 */
export function applySources(context: Context, resource: (name: string) => string | null): void {
  const known = new Map<string, string | null>();
  for (const { stack } of [...context.actions.values(), ...context.errors])
    for (const frame of stack ?? []) {
      let hash = known.get(frame.file);
      if (hash === undefined) {
        hash = find(frame.file, resource);
        known.set(frame.file, hash);
      }
      if (hash !== null) frame.source = `sha256:${hash}`;
    }
}

function find(path: string, resource: (name: string) => string | null): string | null {
  const sha1 = createHash("sha1").update(path).digest("hex");
  const extension = /\.\w{1,10}$/.exec(path)?.[0] ?? "";
  return resource(`src/${sha1}${extension}`) ?? resource(`resources/src@${sha1}.txt`);
}
