import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobKey } from "../../store/files/keys.ts";
import { blobLocation } from "../../store/files/locations.ts";
import { bringInBlobs, dropUnnamed, removeLeaving, withBlobs } from "../../store/loose-blobs.ts";
import { findBlobLocation, forgetLoose, registerLooseBlobs } from "../../store/records/blobs.ts";
import { orphansSince, takeOrphans } from "../../store/records/trace-blobs.ts";
import { orphanUnnamedBlobs } from "../../store/records/trace-record.ts";
import { openStore, type Store } from "../../store/store.ts";
import { sha256 } from "../helpers/bundles.ts";
import { until } from "../helpers/until.ts";

// Two servers on one folder.
let dataDir: string;
let east: Store;
let west: Store;
const HASH = sha256("the same bytes");

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "tracedeck-loose-"));
  east = openStore(dataDir);
  west = openStore(dataDir);
});
afterEach(async () => {
  await east.close();
  await west.close();
  rmSync(dataDir, { recursive: true });
});

function staged(name: string) {
  const path = join(dataDir, "tmp", name);
  writeFileSync(path, "the same bytes");
  return [{ path, hash: HASH, size: 14 }];
}

const upload = (store: Store, suffix: string) =>
  withBlobs(store, staged(suffix), suffix, (blobs) =>
    store.records.transaction().execute((trx) => registerLooseBlobs(trx, blobs, 1)),
  );

async function collect(store: Store): Promise<number> {
  await store.records.transaction().execute(async (trx) => {
    await forgetLoose(trx, await takeOrphans(trx, await orphansSince(trx, 9, 9)));
  });
  return removeLeaving(store);
}

const filesOf = () => readdirSync(join(dataDir, "blobs/sha256", HASH.slice(0, 2), HASH.slice(2, 4)));

async function read(store: Store): Promise<string> {
  const place = await findBlobLocation(store.records, HASH);
  return Buffer.from(await store.files.read(blobLocation(HASH, place!))).toString();
}

test("bytes that come again leave one file", async () => {
  await upload(east, "one");
  await upload(west, "two");
  expect(filesOf()).toEqual([`${HASH}.one`]);
  expect(readdirSync(join(dataDir, "tmp"))).toEqual([]);
});

test("an upload in flight keeps what another server collects in the middle of it", async () => {
  await upload(east, "one");
  await orphanUnnamedBlobs(east.records, 1);
  const [blob] = await bringInBlobs(west, staged("two"), "two");
  expect(await collect(east)).toBe(1);
  await registerLooseBlobs(west.records, [blob!], 2);
  await dropUnnamed(west, [blob!]);
  expect(await read(east)).toBe("the same bytes");
  expect(filesOf()).toEqual([`${HASH}.two`]);
});

test("what an upload has named before it is collected stays", async () => {
  await upload(east, "one");
  await orphanUnnamedBlobs(east.records, 1);
  const looked = await orphansSince(east.records, 9, 9);
  await upload(west, "two");
  expect(await takeOrphans(east.records, looked)).toEqual([]);
  expect(await read(east)).toBe("the same bytes");
});

test("good bytes take the place of a file that is missing or damaged", async () => {
  await upload(east, "one");
  for (const [damage, suffix] of [
    [(path: string) => truncateSync(path, 2), "two"],
    [(path: string) => rmSync(path), "three"],
  ] as const) {
    damage(join(dataDir, blobKey(HASH, filesOf()[0]!.split(".")[1]!)));
    await upload(west, suffix);
    await removeLeaving(west);
    expect(await read(east)).toBe("the same bytes");
    expect(filesOf()).toEqual([`${HASH}.${suffix}`]);
  }
});

test("a collected file that somebody has leased goes when it is released", async () => {
  await upload(east, "one");
  const lease = await east.files.local(blobKey(HASH, "one"));
  await orphanUnnamedBlobs(east.records, 1);
  await collect(east);
  expect(existsSync(lease.path)).toBe(true);
  lease.release();
  await until("it is gone", () => filesOf().length === 0);
});

test("a file whose removal was cut off is removed by the next who looks", async () => {
  await upload(east, "one");
  await forgetLoose(east.records, [HASH]);
  expect(filesOf()).toEqual([`${HASH}.one`]);
  expect(await removeLeaving(west)).toBe(1);
  expect(filesOf()).toEqual([]);
});
