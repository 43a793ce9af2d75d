/** Texts of answers that are kept, the least used ones dropped first, and computations that several callers wait for. */
export interface AnswerCache {
  /**
   * The answer of that name: kept, on its way, or computed now. `compute` may yield other answers beside it, under their
   * own names, which are kept as well. It is given up when nobody waits for it any more.
   * @param among names of computations whose yield has this answer too
   */
  take(
    name: string,
    options: {
      signal: AbortSignal;
      among?: readonly string[];
      compute: (signal: AbortSignal) => Promise<ReadonlyMap<string, string>>;
    },
  ): Promise<string>;
}

interface Running {
  answers: Promise<ReadonlyMap<string, string>>;
  waiting: number;
  controller: AbortController;
}

/** @param most characters of all kept answers together */
export function createAnswerCache(most: number): AnswerCache {
  const kept = new Map<string, string>();
  const running = new Map<string, Running>();
  let size = 0;

  function keep(name: string, text: string) {
    drop(name);
    if (text.length > most) return;
    kept.set(name, text);
    size += text.length;
    for (const oldest of kept.keys()) {
      if (size <= most) return;
      drop(oldest);
    }
  }

  function drop(name: string) {
    size -= kept.get(name)?.length ?? 0;
    kept.delete(name);
  }

  function start(name: string, compute: (signal: AbortSignal) => Promise<ReadonlyMap<string, string>>) {
    const controller = new AbortController();
    const answers = compute(controller.signal).then((found) => {
      for (const [one, text] of found) keep(one, text);
      return found;
    });
    const run: Running = { answers, waiting: 0, controller };
    running.set(name, run);
    const end = () => {
      if (running.get(name) === run) running.delete(name);
    };
    answers.then(end, end);
    return run;
  }

  return {
    async take(name, { signal, among = [], compute }) {
      const known = kept.get(name);
      if (known !== undefined) {
        keep(name, known);
        return known;
      }
      const run =
        [name, ...among]
          .map((one) => running.get(one))
          .find((one) => one && !one.controller.signal.aborted) ?? start(name, compute);
      run.waiting += 1;
      const { promise: gone, reject } = Promise.withResolvers<never>();
      const leave = () => reject(signal.reason);
      if (signal.aborted) leave();
      signal.addEventListener("abort", leave, { once: true });
      try {
        return (await Promise.race([run.answers, gone])).get(name)!;
      } finally {
        signal.removeEventListener("abort", leave);
        run.waiting -= 1;
        if (run.waiting === 0) run.controller.abort(new DOMException("Nobody waits.", "AbortError"));
      }
    },
  };
}
