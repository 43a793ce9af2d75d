/** What makes system calls fail, as it is called on the PATH, and in Debian. `bun run test` installs it where it may. */
export const TRACER = "strace";

/** Only Linux has it. */
export const canBreakDisks = process.platform === "linux";

export const missingTracer = (): string[] => (canBreakDisks && !Bun.which(TRACER) ? [TRACER] : []);

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
  if (!Bun.which(TRACER))
    throw new Error(
      "This test needs strace: install it (Debian: `apt-get install strace`), and run it again.",
    );
  const when = calls === "all" ? "1+" : `1..${calls}`;
  const inject = `inject=fsync,fdatasync:error=EIO:when=${when}`;
  const tracer = Bun.spawn(
    [TRACER, "-f", "-p", String(pid), "-P", path, "-e", "trace=fsync,fdatasync", "-e", inject],
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
