const FIRST_MS = 2;
/** A server that is asked keeps a limit of its own on how often. */
const LAST_MS = 300;

/** As long as anything may take on a machine that has much else to do; who waits in vain waits that long. */
const WAIT_MS = 45_000;

/** Waits for something another process or the kernel does, which nobody tells us about. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  ms = WAIT_MS,
): Promise<void> {
  const end = performance.now() + ms;
  for (let pause = FIRST_MS; !(await isSo()); pause = Math.min(pause * 1.5, LAST_MS)) {
    if (performance.now() > end) throw new Error(`Waited ${ms} ms in vain: ${what}.`);
    await Bun.sleep(pause);
  }
}

/**
 * Repeats expectations until all of them hold: for what an earlier action changes in its own time (a page that draws, a
 * job that ends). Everything that belongs to one state goes into one call, so that it is read together. When the time
 * is over, what was seen last fails the test, with the message of the expectation itself.
 */
export async function eventually(expectations: () => unknown, ms = WAIT_MS): Promise<void> {
  const end = performance.now() + ms;
  for (let pause = FIRST_MS; ; pause = Math.min(pause * 1.5, LAST_MS)) {
    try {
      await expectations();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await Bun.sleep(pause);
  }
}
