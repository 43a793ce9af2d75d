import { homedir } from "node:os";
import { join } from "node:path";

/** Where a person's data folder is unless they name another. @param env the environment's variables */
export function defaultDataDir(env: Record<string, string | undefined>): string {
  const home = env.HOME || homedir();
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "tracedeck");
  if (process.platform === "win32")
    return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "tracedeck");
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "tracedeck");
}
