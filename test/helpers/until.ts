const FIRST_MS = 2;
/** A server that is asked keeps a limit of its own on how often. */
const LAST_MS = 300;

/** Waits for something another process or the kernel does, which nobody tells us about. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, ms = 4_000): Promise<void> {
  const end = performance.now() + ms;
  for (let pause = FIRST_MS; !(await isSo()); pause = Math.min(pause * 1.5, LAST_MS)) {
    if (performance.now() > end) throw new Error(`Waited ${ms} ms in vain: ${what}.`);
    await Bun.sleep(pause);
  }
}
