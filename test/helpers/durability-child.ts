import { createDurability, fsyncFolders } from "../../store/blobs/sync.ts";

/** Brings files, or folders, to the disk: `<"files" | "folders"> <path>…`. Ends with the words of the error where that fails. */
const [what, ...paths] = process.argv.slice(2);
try {
  if (what === "folders") await fsyncFolders(paths);
  else {
    const durability = createDurability();
    for (const path of paths) durability.add(path);
    await durability.settled();
  }
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
