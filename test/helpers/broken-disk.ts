import { requireProgram } from "./packages.ts";

/** Only Linux has what makes system calls fail. */
export const canBreakDisks = process.platform === "linux";

/**
 * From now on fsyncs of a file fail in a process with EIO, as those of a broken disk do: the first so many of each thread,
 * or all of them.
 * @returns what ends it
 */
export async function breakDisk(
  pid: number,
  path: string,
  calls: "all" | number = "all",
): Promise<{ mend(): Promise<void> }> {
  const when = calls === "all" ? "1+" : `1..${calls}`;
  const inject = `inject=fsync,fdatasync:error=EIO:when=${when}`;
  const tracer = Bun.spawn(
    [
      requireProgram("strace"),
      "-f",
      "-p",
      String(pid),
      "-P",
      path,
      "-e",
      "trace=fsync,fdatasync",
      "-e",
      inject,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const said = tracer.stderr.getReader();
  const first = await said.read();
  const words = Buffer.from(first.value ?? new Uint8Array()).toString();
  if (!words.includes("attached")) throw new Error(`strace could not break the disk: ${words}`);
  const draining = (async () => {
    while (!(await said.read()).done);
  })();
  return {
    async mend() {
      tracer.kill("SIGINT");
      await tracer.exited;
      await draining;
    },
  };
}
