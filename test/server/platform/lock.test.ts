import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockHolder, takeLock } from "../../../server/platform/lock.ts";
import { holdFile } from "../../../store/hold.ts";
import { until } from "../../helpers/until.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-lock-"));
  path = join(folder, "server.lock");
});
afterEach(() => rmSync(folder, { recursive: true }));

const held = () => "held";

/** Its own numbers of processes, as a container has. Only some users may make one. */
const NAMESPACE = ["unshare", "--fork", "--pid", "--mount-proc", "--kill-child"];
const hasNamespaces =
  process.platform === "linux" && Bun.spawnSync([...NAMESPACE, "true"], { stderr: "ignore" }).exitCode === 0;

/** Processes that each try to take the lock, say whether they did, and hold it until their input ends. */
function contender(within: string[] = []) {
  const script = `
    import { takeLock } from "${import.meta.dir}/../../../server/platform/lock.ts";
    import { holdFile } from "${import.meta.dir}/../../../store/hold.ts";
    try { takeLock(${JSON.stringify(path)}, () => "held", holdFile); console.log("took"); }
    catch (error) { console.log(error.name); }
    await Bun.stdin.text();`;
  const child = Bun.spawn([...within, process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe" });
  const reader = child.stdout.getReader();
  const said = reader.read().then(({ value }) => new TextDecoder().decode(value).trim());
  const kill = () => {
    child.kill("SIGKILL");
    return child.exited;
  };
  return { said, kill, pid: child.pid };
}

describe("the lock of a data folder", () => {
  test("is one process's alone, however many try at once", async () => {
    const contenders = Array.from({ length: 4 }, contender);
    const said = await Promise.all(contenders.map((one) => one.said));
    expect(said.filter((word) => word === "took")).toHaveLength(1);
    expect(said.filter((word) => word === "LockedError")).toHaveLength(3);
    for (const one of contenders) await one.kill();
  });

  test("is taken over by one when its holder was killed, however many try at once", async () => {
    const first = contender();
    expect(await first.said).toBe("took");
    expect(lockHolder(path)?.pid).toBe(first.pid);
    await first.kill();
    expect(lockHolder(path)).toBeNull();
    const contenders = Array.from({ length: 4 }, contender);
    const said = await Promise.all(contenders.map((one) => one.said));
    expect(said.filter((word) => word === "took")).toHaveLength(1);
    for (const one of contenders) await one.kill();
  });

  test.skipIf(process.platform !== "linux")(
    "is not held by a process that was killed and that nobody has collected yet",
    async () => {
      const parent = Bun.spawn(["sh", "-c", "sleep 60 & echo $!; exec sleep 60"], { stdout: "pipe" });
      const { value } = await parent.stdout.getReader().read();
      const pid = Number(new TextDecoder().decode(value));
      // A shell would collect it.
      const nameOf = (of: number) => readFileSync(`/proc/${of}/comm`, "utf8").trim();
      await until("its parent is no shell any more", () => nameOf(parent.pid) === "sleep");
      process.kill(pid, "SIGKILL");
      await until("it ended", () => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
      writeFileSync(path, JSON.stringify({ pid, started: null, token: "t", url: null }));
      expect(lockHolder(path)).toBeNull();
      takeLock(path, held, holdFile).release();
      parent.kill("SIGKILL");
      await parent.exited;
    },
  );

  test("keeps the address that is announced, and leaves nothing behind", () => {
    const lock = takeLock(path, held, holdFile);
    lock.announce("http://localhost:1");
    expect(lockHolder(path)).toMatchObject({ pid: process.pid, url: "http://localhost:1" });
    lock.release();
    lock.release();
    // What the operating system holds is a file that all mean.
    expect(readdirSync(folder)).toEqual(["server.lock.held"]);
  });

  test("is nobody else's while its holder lives, also when its file is gone or names a process that nobody sees", async () => {
    const lock = takeLock(path, held, holdFile);
    rmSync(path);
    expect(() => takeLock(path, held, holdFile)).toThrow("held");
    writeFileSync(path, JSON.stringify({ pid: 2 ** 22 - 1, started: "1", token: "t", url: null }));
    const other = contender();
    expect(await other.said).toBe("LockedError");
    await other.kill();
    lock.release();
    takeLock(path, held, holdFile).release();
  });

  test.skipIf(!hasNamespaces)("is seen from other containers on the same folder", async () => {
    const first = contender(NAMESPACE);
    expect(await first.said).toBe("took");
    const second = contender(NAMESPACE);
    expect(await second.said).toBe("LockedError");
    await second.kill();
    await first.kill();
    await until("its end has given the folder free", () => {
      try {
        takeLock(path, held, holdFile).release();
        return true;
      } catch {
        return false;
      }
    });
  });
});
