const ANSWER_MS = 30_000;

/** One end of a port over which calls are answered and news are told. */
export interface Line {
  /** @throws Error with what the other end says, or that it gave no answer; DOMException `AbortError` once closed */
  call(name: string, args: readonly unknown[]): Promise<unknown>;
  close(): void;
}

interface Waiting {
  take: (value: unknown) => void;
  refuse: (error: unknown) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** Speaks on a port with an inspector. Nothing that arrives is checked but for its being an answer to a call. */
export function openLine(port: MessagePort, onNews: (data: object) => void): Line {
  const waiting = new Map<number, Waiting>();
  let lastCall = 0;
  let isClosed = false;
  const gone = () => new DOMException("The page is no longer shown.", "AbortError");

  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== "object" || data === null) return;
    if (!("call" in data)) return onNews(data);
    const one = typeof data.call === "number" ? waiting.get(data.call) : undefined;
    if (!one) return;
    waiting.delete(data.call as number);
    clearTimeout(one.timer);
    if ("refusal" in data) one.refuse(new Error(String(data.refusal).slice(0, 500)));
    else one.take("answer" in data ? data.answer : null);
  };

  return {
    call(name, args) {
      if (isClosed) return Promise.reject(gone());
      lastCall += 1;
      const call = lastCall;
      return new Promise((take, refuse) => {
        const timer = setTimeout(() => {
          waiting.delete(call);
          refuse(new Error("The recorded page gives no answer. Show it again to try once more."));
        }, ANSWER_MS);
        waiting.set(call, { take, refuse, timer });
        port.postMessage({ call, name, args });
      });
    },
    close() {
      isClosed = true;
      port.close();
      for (const { timer, refuse } of waiting.values()) {
        clearTimeout(timer);
        refuse(gone());
      }
      waiting.clear();
    },
  };
}
