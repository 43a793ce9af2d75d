import { join } from "node:path";
import { dataFolder } from "./data-folder.ts";
import { loadSettings, type Settings, SettingsError } from "./settings.ts";

/** The folder that holds the packs of cold traces: `cold_dir` of the settings, else `<data>/cold`. */
export const coldFolderBy = (dataDir: string, settings: Pick<Settings, "cold_dir"> | null): string =>
  settings?.cold_dir ?? join(dataDir, "cold");

/** The same by what settings.json says. */
export function coldFolder(dataDir: string): string {
  try {
    return coldFolderBy(dataDir, loadSettings(dataFolder(dataDir).settings));
  } catch (error) {
    // Whoever needs the settings themselves is told what is wrong with them.
    if (error instanceof SettingsError) return coldFolderBy(dataDir, null);
    throw error;
  }
}
