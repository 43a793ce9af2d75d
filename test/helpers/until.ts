/** Waits for something another process or the kernel does, which nobody tells us about. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, ms = 4_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Waited ${ms} ms in vain: ${what}.`);
    await Bun.sleep(2);
  }
}
