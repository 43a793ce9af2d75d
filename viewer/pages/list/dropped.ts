import {
  RESOURCE_FOLDERS,
  resourcesNamed,
  TRACES_OF_MCP,
  unpackedTraces,
} from "../../../server/trace/format/trace-folder.ts";

/**
 * The files that were dropped; a folder that is a trace which nobody has packed comes packed, of any other its archives, as
 * a folder of blob reports has them.
 */
export async function droppedFiles(data: DataTransfer): Promise<File[]> {
  // Asked for at once: after the event they are gone.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry());
  const files = [...data.files];
  const taken: File[] = [];
  for (const [at, entry] of entries.entries()) {
    if (entry?.isDirectory) taken.push(...(await filesOf(entry as FileSystemDirectoryEntry)));
    else if (files[at]) taken.push(files[at]);
  }
  return taken;
}

async function filesOf(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const traces = await folderIn(folder, TRACES_OF_MCP);
  for (const one of traces ? [folder, traces] : [folder]) {
    const packed = await packFolder(one);
    if (packed.length > 0) return packed;
  }
  const files = [...(await filesIn(folder)).values()].filter(({ name }) => name.endsWith(".zip"));
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function packFolder(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const files = await filesIn(folder);
  const resources = new Map<string, File>();
  for (const name of RESOURCE_FOLDERS) {
    const found = await folderIn(folder, name);
    // A trace without pictures and pages has none.
    for (const [resource, file] of found ? await filesIn(found) : [])
      resources.set(`${name}/${resource}`, file);
  }
  const known = new Set(resources.keys());
  const packed: File[] = [];
  for (const { name, files: members } of unpackedTraces([...files.keys()])) {
    const archive: Record<string, Uint8Array> = {};
    for (const [member, file] of members) {
      const bytes = await bytesOf(files.get(file)!);
      archive[member] = bytes;
      for (const path of resourcesNamed(new TextDecoder().decode(bytes), known))
        archive[path] ??= await bytesOf(resources.get(path)!);
    }
    const { zipSync } = await import("fflate");
    const stem = name.replace(/\.trace$/, "");
    const zip = zipSync(archive, { level: 0 });
    packed.push(new File([zip as Uint8Array<ArrayBuffer>], `${folder.name}-${stem}.zip`));
  }
  return packed;
}

const bytesOf = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

/** A folder in a folder; null where there is none. */
const folderIn = (folder: FileSystemDirectoryEntry, name: string): Promise<FileSystemDirectoryEntry | null> =>
  new Promise((resolve) =>
    folder.getDirectory(
      name,
      {},
      (found) => resolve(found as FileSystemDirectoryEntry),
      () => resolve(null),
    ),
  );

/** The files of a folder by name, without those of folders in it. */
async function filesIn(folder: FileSystemDirectoryEntry): Promise<Map<string, File>> {
  const reader = folder.createReader();
  const files = new Map<string, File>();
  for (;;) {
    // A browser gives a hundred at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return files;
    for (const entry of entries)
      if (entry.isFile)
        files.set(
          entry.name,
          await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
        );
  }
}
