import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { withReserve } from "../../store/reserve.ts";
import { isDiskFull } from "../../store/storage-faults.ts";
import { openStore, type Store } from "../../store/store.ts";
import { scratchFolder } from "../helpers/program.ts";
import { type SmallDisk, smallDisk } from "../helpers/small-disk.ts";
import { statement } from "../helpers/statement.ts";

const MIB = 1 << 20;

describe.if(process.getuid?.() === 0)("on a full disk", () => {
  let number = 0;
  const scratch = scratchFolder();
  const disks: SmallDisk[] = [];
  afterEach(() => {
    for (const disk of disks.splice(0)) disk.unmount();
  });

  function newDisk(): { disk: SmallDisk; data: string } {
    const disk = smallDisk(scratch.at(`disk${++number}`), 24 * MIB);
    disks.push(disk);
    return { disk, data: `${disk.path}/data` };
  }

  const write = async (store: Store) => {
    await statement(store, `INSERT INTO notes (words) VALUES ('${"x".repeat(3000)}')`);
  };

  /** What is written all the time: until the database has used up the room of its own. */
  async function writeUntilFull(store: Store): Promise<void> {
    for (;;) {
      try {
        await write(store);
      } catch (error) {
        if (isDiskFull(error)) return;
        throw error;
      }
    }
  }

  async function newStore(data: string): Promise<Store> {
    const store = openStore(data);
    await statement(store, "CREATE TABLE notes (words TEXT NOT NULL) STRICT");
    return store;
  }

  const count = async (store: Store) =>
    (await statement<{ n: number }>(store, "SELECT count(*) AS n FROM notes"))[0]!.n;

  test("whoever else takes the room at the moment when it is given up takes none of the records'", async () => {
    const { disk, data } = newDisk();
    const store = await newStore(data);
    store.reserve.keep();
    disk.fill();
    await writeUntilFull(store);
    const before = await count(store);
    await withReserve(
      store.reserve,
      () => write(store),
      () => disk.fill(),
    );
    // And the ends of others, which need it no less.
    for (let n = 0; n < 50; n++) await write(store);
    expect(await count(store)).toBe(before + 51);
    await store.close();
  });

  test("two that need it at once both have it", async () => {
    const { disk, data } = newDisk();
    const store = await newStore(data);
    store.reserve.keep();
    disk.fill();
    await writeUntilFull(store);
    const before = await count(store);
    const one = () =>
      withReserve(
        store.reserve,
        () => write(store),
        () => disk.fill(),
      );
    await Promise.all([one(), one(), one()]);
    expect(await count(store)).toBe(before + 3);
    await store.close();
  });

  test("a start finds it, before anything else can take it", async () => {
    const { disk, data } = newDisk();
    const first = await newStore(data);
    first.reserve.keep();
    await first.close();
    disk.fill();
    const store = openStore(data);
    disk.fill();
    for (let n = 0; n < 50; n++) await write(store);
    expect(await count(store)).toBe(50);
    await store.close();
  });

  test("an end keeps what a start has given", async () => {
    const { disk, data } = newDisk();
    const first = await newStore(data);
    first.reserve.keep();
    await first.close();
    disk.fill();
    const store = openStore(data);
    expect(existsSync(`${data}/reserve`)).toBe(false);
    await store.close();
    expect(statSync(`${data}/reserve`).size).toBeGreaterThan(0.9 * MIB);
  });

  test("after an end on a full disk it is kept again, for the next start", async () => {
    const { disk, data } = newDisk();
    const first = await newStore(data);
    first.reserve.keep();
    disk.fill();
    await writeUntilFull(first);
    await withReserve(
      first.reserve,
      () => write(first),
      () => disk.fill(),
    );
    const before = await count(first);
    await first.close();
    disk.fill();
    const store = openStore(data);
    disk.fill();
    for (let n = 0; n < 50; n++) await write(store);
    expect(await count(store)).toBe(before + 50);
    await store.close();
  });

  test("with room again it is whole again", async () => {
    const { disk, data } = newDisk();
    const store = await newStore(data);
    store.reserve.keep();
    disk.fill();
    await writeUntilFull(store);
    await withReserve(
      store.reserve,
      () => write(store),
      () => undefined,
    );
    expect(existsSync(`${data}/reserve`)).toBe(false);
    disk.empty();
    store.reserve.keep();
    expect(statSync(`${data}/reserve`).size).toBe(MIB);
    await store.close();
  });
});
