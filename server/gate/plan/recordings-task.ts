import type { CommitRecording } from "../../../store/records/commit-recordings.ts";
import { readHar } from "../../run/clones/har.ts";
import type { RepositoryFile } from "../code-host/types.ts";

/** HARs of a commit, as the worker gives them back. */
export interface ReadRecordings {
  ready: (CommitRecording & { path: string })[];
  problems: { path: string; message: string }[];
}

/** Looks which files of a commit are HARs that can be answered from, and packs those, off the main thread. */
export async function readCommitRecordings(files: RepositoryFile[]): Promise<ReadRecordings> {
  const found: ReadRecordings = { ready: [], problems: [] };
  for (const { path, text } of files)
    try {
      readHar(text);
      const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
      found.ready.push({ path, hash, har: await Bun.zstdCompress(text, { level: 3 }) });
    } catch (error) {
      found.problems.push({ path, message: error instanceof Error ? error.message : String(error) });
    }
  return found;
}
