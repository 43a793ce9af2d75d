import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultDataDir } from "../../platform/data-dir.ts";
import type { Environment, KitOptions } from "./options.ts";

export interface Connection {
  /** Without a slash at the end. */
  url: string;
  /** Null: there is a server but no key for it. */
  apiKey: string | null;
}

/** The server that was named, else the one that last ran on this machine's data folder; null when there is none. */
export function findConnection(options: KitOptions, env: Environment): Connection | null {
  const url = options.server || env.TRACEDECK_URL;
  const key = options.apiKey || env.TRACEDECK_KEY || null;
  const local = readLocal(env.TRACEDECK_DATA || defaultDataDir(env));
  if (!url) return local;
  const named = { url: url.replace(/(?<!\/)\/+$/, ""), apiKey: key };
  return key === null && local?.url === named.url ? local : named;
}

/** What the server wrote into its data folder for programs of the same person. */
function readLocal(dataDir: string): Connection | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, "credentials.json"), "utf8");
  } catch {
    // No server has run here, or it is another person's.
    return null;
  }
  try {
    const { url, api_key } = JSON.parse(text) as { url?: unknown; api_key?: unknown };
    return typeof url === "string" && typeof api_key === "string" ? { url, apiKey: api_key } : null;
  } catch {
    // A file that is just being written, or damaged: `tracedeck doctor` tells.
    return null;
  }
}
