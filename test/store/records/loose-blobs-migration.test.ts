import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { strayFiles } from "../../../store/check.ts";
import { blobKey } from "../../../store/files/keys.ts";
import { blobLocation } from "../../../store/files/locations.ts";
import { removeLeaving, withBlobs } from "../../../store/loose-blobs.ts";
import { findBlobLocation, forgetLoose, registerLooseBlobs } from "../../../store/records/blobs.ts";
import { contentsOfFile } from "../../../store/records/engine/sqlite/file.ts";
import { testRunRecordsDue } from "../../../store/records/test-run-record.ts";
import { openStore } from "../../../store/store.ts";
import { sha256 } from "../../helpers/bundles.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");
const [NAMED, LEFT] = [sha256("named"), sha256("left")];
let folder: string;

/** A folder of before loose files had names of their own: one blob, and one whose row was gone before its file. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-older-"));
  for (const content of ["named", "left"]) {
    const path = join(folder, blobKey(sha256(content), ""));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const raw = new Database(join(folder, "tracedeck.db"));
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0020");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  raw.exec("PRAGMA user_version = 19");
  raw.exec(`
    INSERT INTO orgs VALUES ('o', 'local', 'local', 1);
    INSERT INTO test_runs (id, org_id, short_id, status, started_at, created_at, heard_at)
    VALUES ('r', 'o', 'short', 'running', 1, 1, 1);
    INSERT INTO blob_locations (hash, container, stored_size, size, created_at) VALUES ('${NAMED}', '', 5, 5, 1);
    INSERT INTO orphan_blobs VALUES ('${LEFT}', 1);`);
  raw.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

test("blobs of an older store are read under their old names, and go as others do", async () => {
  const store = openStore(folder);
  const read = async () => {
    const place = await findBlobLocation(store.records, NAMED);
    return Buffer.from(await store.files.read(blobLocation(NAMED, place!))).toString();
  };
  expect(await read()).toBe("named");
  expect(await removeLeaving(store)).toBe(1);
  expect(existsSync(join(folder, blobKey(LEFT, "")))).toBe(false);
  const path = store.work.path("again");
  writeFileSync(path, "named");
  await withBlobs(store, [{ path, hash: NAMED, size: 5 }], "new", (blobs) =>
    registerLooseBlobs(store.records, blobs, 2),
  );
  expect(existsSync(join(folder, blobKey(NAMED, "new")))).toBe(false);
  expect(await read()).toBe("named");
  expect(await strayFiles(store)).toEqual([]);
  await forgetLoose(store.records, [NAMED]);
  await removeLeaving(store);
  expect(existsSync(join(folder, blobKey(NAMED, "")))).toBe(false);
  expect(await testRunRecordsDue(store.records, 9)).toEqual([{ test_run_id: "r", changes: 1 }]);
  await store.close();
});

test("a backup of an older store is known by what its records name", () => {
  const { blobs, testRuns, version } = contentsOfFile(join(folder, "tracedeck.db"));
  expect({ blobs, testRuns, version }).toEqual({
    blobs: [{ hash: NAMED, suffix: "", size: 5 }],
    testRuns: ["r"],
    version: 19,
  });
});
