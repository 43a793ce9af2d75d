import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../../deps.ts";

type WorkDeps = Pick<Deps, "store" | "ids">;

const PREFIX = "tiers-";
const roots = new WeakMap<Deps["store"], string>();

/** This process's folder below `<data>/tmp`. The first call clears away what earlier processes left. */
export function workRoot(deps: WorkDeps): string {
  const known = roots.get(deps.store);
  if (known) return known;
  const { tmp } = deps.store.layout;
  for (const name of readdirSync(tmp))
    if (name.startsWith(PREFIX)) rmSync(join(tmp, name), { recursive: true, force: true });
  const root = join(tmp, `${PREFIX}${deps.ids.uuid()}`);
  mkdirSync(root, { mode: 0o700 });
  roots.set(deps.store, root);
  return root;
}

/** Does something with an empty folder that is gone afterwards. */
export async function inWorkFolder<Result>(
  deps: WorkDeps,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(workRoot(deps), deps.ids.uuid());
  mkdirSync(folder, { mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
