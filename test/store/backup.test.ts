import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { extract, pack } from "tar-stream";
import { sweepBackups, writeBackup } from "../../store/backup.ts";
import { blobKey } from "../../store/files/keys.ts";
import { holdFile } from "../../store/hold.ts";
import { registerLooseBlobs } from "../../store/records/blobs.ts";
import { RestoreError, restoreBackup } from "../../store/restore.ts";
import { openStore, type Store } from "../../store/store.ts";
import { sha256 } from "../helpers/bundles.ts";
import { loosePath } from "../helpers/loose-blobs.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");

/** A disk of its own at a path. */
const mount = (path: string, size: string) =>
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]).exitCode === 0;
const unmount = (path: string) => void Bun.spawnSync(["umount", path]);
/** Only some users may, and not in every container. */
const canMount = mayMount();

function mayMount(): boolean {
  if (process.platform !== "linux") return false;
  const { at, remove } = scratchFolder();
  try {
    mkdirSync(at("disk"));
    const did = mount(at("disk"), "16k");
    if (did) unmount(at("disk"));
    return did;
  } finally {
    remove();
  }
}

describe("backup and restore", () => {
  let scratch: ReturnType<typeof scratchFolder>;
  let store: Store;
  let data: string;
  let file: string;

  beforeEach(() => {
    scratch = scratchFolder();
    data = scratch.at("data");
    file = scratch.at("backup.tar.zst");
    store = openStore(data);
    writeFileSync(join(data, "settings.json"), '{"plan":"free"}');
    writeFileSync(join(data, "signing.key"), "key");
  });

  afterEach(async () => {
    await store.close().catch(() => {});
    scratch.remove();
  });

  async function keepBlob(content: string | Uint8Array) {
    const hash = sha256(content);
    const path = join(data, blobKey(hash, "x"));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    await registerLooseBlobs(store.records, [{ hash, size: Buffer.byteLength(content), suffix: "x" }], NOW);
    return { hash, path };
  }

  const backUp = (more: { onProgress?: () => void; outPath?: string; signal?: AbortSignal } = {}) =>
    writeBackup({
      dataDir: data,
      coldDir: join(data, "cold"),
      outPath: file,
      program: "test",
      now: NOW,
      id: "1",
      ...more,
    });

  const putBack = (
    to: string,
    more: { force?: boolean; file?: string; coldDir?: string; signal?: AbortSignal } = {},
  ) =>
    restoreBackup({
      dataDir: to,
      file: more.file ?? file,
      id: "2",
      force: more.force ?? false,
      now: NOW + 1,
      coldDirOf: () => more.coldDir ?? join(to, "cold"),
      ...(more.signal && { signal: more.signal }),
    });

  test("a backup holds records, blobs and configuration, and restore puts all of it back", async () => {
    const { hash } = await keepBlob("content");
    await keepBlob("");
    expect((await backUp()).warnings).toEqual([]);
    const to = scratch.at("restored");
    await putBack(to);

    const restored = openStore(to);
    const rows = await restored.records.selectFrom("blob_locations").select("hash").execute();
    expect(rows.map((row) => row.hash).sort()).toEqual([hash, sha256("")].sort());
    expect(readFileSync(loosePath(restored, hash), "utf8")).toBe("content");
    expect(readFileSync(join(to, "settings.json"), "utf8")).toBe('{"plan":"free"}');
    expect(readFileSync(join(to, "signing.key"), "utf8")).toBe("key");
    await restored.close();
    expect(readdirSync(to).filter((name) => /restoring|replaced/.test(name))).toEqual([]);
  });

  test("the file is for its owner only, and a plain tar.zst", async () => {
    await keepBlob("content");
    await backUp();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await memberNames(file)).toContain(blobKey(sha256("content"), "x"));
  });

  test("blobs that the running server removes meanwhile are in the backup all the same", async () => {
    const { hash, path } = await keepBlob(new Uint8Array(3 << 20));
    await backUp({ onProgress: () => rmSync(path, { force: true }) });
    expect(existsSync(path)).toBe(false);
    await putBack(scratch.at("restored"));
    expect(existsSync(scratch.at("restored", blobKey(hash, "x")))).toBe(true);
  });

  test("records written after the snapshot are left out, and those before it are all there", async () => {
    await keepBlob("before");
    let late: Promise<unknown> | null = null;
    await backUp({ onProgress: () => (late ??= keepBlob("after")) });
    await late;
    await putBack(scratch.at("restored"));
    const restored = new Database(scratch.at("restored", "tracedeck.db"), { readonly: true });
    expect(restored.query("SELECT hash FROM blob_locations").values()).toEqual([[sha256("before")]]);
    restored.close();
  });

  test("a missing or damaged file is named and does not keep the rest from being saved", async () => {
    const gone = await keepBlob("gone");
    const bad = await keepBlob("good bytes");
    rmSync(gone.path);
    writeFileSync(bad.path, "evil bytes");
    const { warnings } = await backUp();
    expect(warnings.join("\n")).toContain(gone.hash);
    expect(warnings.join("\n")).toContain(bad.hash);
    await putBack(scratch.at("restored"));
  });

  test("nothing of a backup that failed stays behind", async () => {
    const into = scratch.at("no", "such", "folder", "x");
    const options = {
      dataDir: data,
      coldDir: join(data, "cold"),
      outPath: into,
      program: "t",
      now: NOW,
      id: "1",
    };
    await expect(writeBackup(options)).rejects.toThrow("ENOENT");
    expect(readdirSync(store.layout.tmp)).toEqual([]);
  });

  test("restore refuses a folder that has a store, and replaces it with force", async () => {
    await keepBlob("old");
    await backUp();
    await keepBlob("new");
    await store.close();
    await expect(putBack(data)).rejects.toThrow("already has a store");
    await putBack(data, { force: true });
    store = openStore(data);
    const rows = await store.records.selectFrom("blob_locations").select("hash").execute();
    expect(rows).toEqual([{ hash: sha256("old") }]);
    expect(existsSync(loosePath(store, sha256("new")))).toBe(false);
  });

  test("a cut, altered or foreign file is refused before anything is touched", async () => {
    await keepBlob(crypto.getRandomValues(new Uint8Array(100_000)));
    await backUp();
    const whole = readFileSync(file);
    const altered = Buffer.from(whole);
    altered[altered.length >> 1]! ^= 0xff;
    const cases = {
      cut: whole.subarray(0, whole.length - 30),
      altered,
      foreign: Buffer.from("not a backup"),
    };
    for (const [name, bytes] of Object.entries(cases)) {
      const path = scratch.at(name);
      writeFileSync(path, bytes);
      await expect(putBack(scratch.at("restored"), { file: path })).rejects.toBeInstanceOf(RestoreError);
      expect(readdirSync(scratch.at("restored"))).toEqual([]);
    }
  });

  test("a forged backup cannot write outside the folder, nor add what its sums do not name", async () => {
    const header = JSON.stringify({ version: 1, program: "x", schema_version: 1, created_at: "" });
    for (const name of ["../evil", "traces/../../evil", "/etc/evil", "server.lock", "traces/a/.hidden"]) {
      writeFileSync(file, await archive({ "backup.json": header, [name]: "x", "sums.json": "{}" }));
      await expect(putBack(scratch.at("restored"))).rejects.toThrow("does not belong");
    }
    writeFileSync(file, await archive({ "backup.json": header, "traces/a/b": "x", "sums.json": "{}" }));
    await expect(putBack(scratch.at("restored"))).rejects.toThrow("was added");
    expect(existsSync(scratch.at("evil"))).toBe(false);
  });

  test("a backup by a newer program is refused in words", async () => {
    const header = JSON.stringify({ version: 1, program: "9.9.9", schema_version: 999, created_at: "" });
    writeFileSync(file, await archive({ "backup.json": header, "sums.json": "{}" }));
    await expect(putBack(scratch.at("restored"))).rejects.toThrow("schema version 999");
  });

  test("cold packs go to the cold folder of the restored settings", async () => {
    const header = JSON.stringify({ version: 1, program: "x", schema_version: 1, created_at: "" });
    await backUp();
    const members = await contents(file);
    members["cold/traces/t/pack.zip"] = Buffer.from("pack");
    const sums = Object.entries(members)
      .filter(([name]) => !["backup.json", "sums.json"].includes(name))
      .map(([name, bytes]) => [name, { sha256: sha256(bytes), size: bytes.length }]);
    const { "backup.json": _, "sums.json": __, ...rest } = members;
    writeFileSync(
      file,
      await archive({
        "backup.json": header,
        ...rest,
        "sums.json": JSON.stringify(Object.fromEntries(sums)),
      }),
    );
    await putBack(scratch.at("restored"), { coldDir: scratch.at("elsewhere") });
    expect(readFileSync(scratch.at("elsewhere", "traces", "t", "pack.zip"), "utf8")).toBe("pack");
    expect(existsSync(scratch.at("restored", "cold"))).toBe(false);
    await putBack(scratch.at("again"), { coldDir: scratch.at("again", "archive") });
    expect(readFileSync(scratch.at("again", "archive", "traces", "t", "pack.zip"), "utf8")).toBe("pack");
    expect(existsSync(scratch.at("again", "cold"))).toBe(false);
  });

  /** What lies in the folder, but for what SQLite makes by itself. */
  const filesOf = (folder: string) =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/db-(wal|shm)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path.slice(folder.length + 1), sha256(readFileSync(path))] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    );

  /** A store with a pack in `cold`, and a backup of another one with a larger pack. */
  async function twoStores() {
    await keepBlob("content");
    await backUp();
    const members = await contents(file);
    members["cold/pack.zip"] = Buffer.alloc(100_000, 7);
    const sums = Object.entries(members)
      .filter(([name]) => !["backup.json", "sums.json"].includes(name))
      .map(([name, bytes]) => [name, { sha256: sha256(bytes), size: bytes.length }]);
    members["sums.json"] = Buffer.from(JSON.stringify(Object.fromEntries(sums)));
    const { "backup.json": first, "sums.json": last, ...rest } = members;
    writeFileSync(file, await archive({ "backup.json": first!, ...rest, "sums.json": last! }));
    const to = scratch.at("other");
    await openStore(to).close();
    writeFileSync(join(to, "settings.json"), '{"plan":"pro"}');
    mkdirSync(join(to, "cold"));
    return to;
  }

  test("what is interrupted leaves nothing behind, and what a killed backup left goes at the next start", async () => {
    await keepBlob(crypto.getRandomValues(new Uint8Array(60_000)));
    await backUp();
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error("interrupted"));
    const outPath = scratch.at("again.tar.zst");
    await expect(backUp({ outPath, signal: stop.signal, onProgress })).rejects.toThrow();
    expect(existsSync(outPath)).toBe(false);
    expect(readdirSync(dirname(outPath)).filter((name) => name.includes("partial"))).toEqual([]);
    const to = scratch.at("restored");
    await expect(putBack(to, { signal: stop.signal })).rejects.toThrow("interrupted");
    expect(readdirSync(to)).toEqual([]);

    mkdirSync(join(data, "tmp", "backup-dead"));
    mkdirSync(join(data, "tmp", "backup-alive"));
    const letGo = holdFile(join(data, "tmp", "backup-alive.held"))!;
    await sweepBackups(data);
    expect(readdirSync(join(data, "tmp")).sort()).toEqual(["backup-alive", "backup-alive.held"]);
    letGo();
    await sweepBackups(data);
    expect(readdirSync(join(data, "tmp"))).toEqual([]);
  });

  test.skipIf(!canMount)("a restore that cannot place a part puts back all that was there", async () => {
    const to = await twoStores();
    mount(join(to, "cold"), "16k");
    try {
      writeFileSync(join(to, "cold", "old.zip"), "old");
      const before = filesOf(to);
      await expect(putBack(to, { force: true })).rejects.toThrow();
      expect(filesOf(to)).toEqual(before);
      await openStore(to).close();
    } finally {
      unmount(join(to, "cold"));
    }
  });

  test.skipIf(!canMount)(
    "a part that is a mount point stays one, and holds what the backup has",
    async () => {
      const to = await twoStores();
      mount(join(to, "cold"), "1m");
      try {
        writeFileSync(join(to, "cold", "old.zip"), "old");
        await putBack(to, { force: true });
        expect(readdirSync(join(to, "cold"))).toEqual(["pack.zip"]);
        expect(readFileSync(join(to, "settings.json"), "utf8")).toBe('{"plan":"free"}');
        expect(readdirSync(to).filter((name) => /restoring|replaced/.test(name))).toEqual([]);
      } finally {
        unmount(join(to, "cold"));
      }
    },
  );

  test("a restore that was killed is told of, and ended as if it had never begun", async () => {
    const to = await twoStores();
    writeFileSync(join(to, "cold", "old.zip"), "old");
    const before = filesOf(to);
    mkdirSync(join(to, "replaced-9"));
    mkdirSync(join(to, "restoring-9"));
    for (const part of ["tracedeck.db", "cold"]) renameSync(join(to, part), join(to, "replaced-9", part));
    mkdirSync(join(to, "cold"));
    writeFileSync(join(to, "cold", "pack.zip"), "new");
    expect(() => openStore(to)).toThrow(join(to, "replaced-9", "tracedeck.db"));
    const told = await runProgram(["doctor", "--data", to]);
    expect(told.stdout).toContain("a restore was broken off");
    const mended = await runProgram(["doctor", "--repair", "--data", to]);
    expect(mended.stdout).toContain("put back what a restore");
    const after = filesOf(to);
    for (const [name, sum] of Object.entries(before))
      if (name !== "tracedeck.db") expect(after[name]).toBe(sum);
    expect(existsSync(join(to, "tracedeck.db"))).toBe(true);
    expect(Object.keys(after).filter((name) => /restoring|replaced|pack\.zip/.test(name))).toEqual([]);
    await openStore(to).close();
  });
});

async function archive(members: Record<string, string | Uint8Array>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(members)) tar.entry({ name }, Buffer.from(content as string));
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Bun.zstdCompressSync(Buffer.concat(chunks));
}

async function contents(path: string): Promise<Record<string, Buffer>> {
  const reader = extract();
  reader.end(Bun.zstdDecompressSync(readFileSync(path)));
  const found: Record<string, Buffer> = {};
  for await (const entry of reader) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
    found[entry.header.name] = Buffer.concat(chunks);
  }
  return found;
}

const memberNames = async (path: string) => Object.keys(await contents(path));
