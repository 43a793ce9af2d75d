import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { plainName } from "../../store/files/names.ts";

/** The names of what lies with a trace, without what says their contents; sorted. */
export function plainNames(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map(plainName).sort() : [];
}

/** The path of a trace's file by what it is called, whatever its content. */
export function fileNamed(folder: string, name: string): string {
  const found = readdirSync(folder).filter((file) => plainName(file) === name);
  return join(folder, found.sort()[0] ?? name);
}
