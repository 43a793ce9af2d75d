import { join } from "node:path";
import { packagedFolder } from "../platform/packaged.ts";
import { type Notice, problemsOf } from "./model.ts";

/** The folder that the executable carries the notices in. */
export const PACKAGED_NOTICES = "notices-dist";
const FILE = "notices.json.zst";

/**
 * Gathers the notices and writes them into a folder, to travel in the executable.
 * @throws Error naming what must not be passed on, or has no licence text
 */
export async function writeNotices(folder: string): Promise<void> {
  const { gatherNotices } = await import("./gather.ts");
  const notices = await gatherNotices();
  const problems = notices.flatMap(problemsOf);
  if (problems.length > 0) throw new Error(`Licences: ${problems.join(" ")}`);
  await Bun.write(join(folder, FILE), await Bun.zstdCompress(JSON.stringify(notices), { level: 19 }));
}

/** The notices, from the executable or gathered from what its source would be built of. */
export async function loadNotices(): Promise<Notice[]> {
  if (!Bun.isStandaloneExecutable) return (await import("./gather.ts")).gatherNotices();
  const packed = await Bun.file(join(packagedFolder(PACKAGED_NOTICES), FILE)).bytes();
  return JSON.parse((await Bun.zstdDecompress(packed)).toString()) as Notice[];
}
