import { join } from "node:path";
import type { Layout } from "./layout.ts";
import { loadSettings, SettingsError } from "./settings.ts";

/** The folder that holds the packs of cold traces: `cold_dir` of settings.json, else `<data>/cold`. */
export function coldFolder(paths: Layout): string {
  try {
    return loadSettings(paths.settings).cold_dir ?? join(paths.root, "cold");
  } catch (error) {
    // Whoever needs the settings themselves is told what is wrong with them.
    if (error instanceof SettingsError) return join(paths.root, "cold");
    throw error;
  }
}
