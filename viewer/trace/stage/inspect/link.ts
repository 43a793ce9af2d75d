import { readAnswer, readNews } from "./check.ts";
import { type Calls, HELLO } from "./protocol.ts";

type Told = NonNullable<ReturnType<typeof readNews>>;

/** The viewer's end of the line to the inspector in a recorded page. */
export interface Link {
  /** Address of the page, without its fragment. */
  url: string;
  /**
   * @throws Error with what the inspector says, or that it gave no answer; DOMException `AbortError` once the page is gone
   */
  call<Name extends keyof Calls>(
    name: Name,
    ...args: Parameters<Calls[Name]>
  ): Promise<ReturnType<Calls[Name]>>;
  /** The factor by which the page is shown. */
  scale(): number;
  close(): void;
}

/** Whether an address is that of a recorded page in which the inspector runs. Only such a frame may run scripts. */
export function isInspected(url: string): boolean {
  return /\/pages\/[^/]+\/i\/\d+\/\d+$/.test(withoutHash(url));
}

const withoutHash = (url: string): string => url.split("#", 1)[0] ?? "";
const ANSWER_MS = 30_000;

interface Waiting {
  name: keyof Calls;
  take: (value: unknown) => void;
  refuse: (error: unknown) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** Hands the inspector of a loaded frame a port of its own; nothing else can speak on it. */
export function openLink(frame: HTMLIFrameElement, onNews: (told: Told) => void): Link {
  const { port1: port, port2 } = new MessageChannel();
  const waiting = new Map<number, Waiting>();
  let lastCall = 0;
  let isClosed = false;
  const gone = () => new DOMException("The page is no longer shown.", "AbortError");

  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== "object" || data === null) return;
    if (!("call" in data)) {
      const told = readNews(data);
      if (told) onNews(told);
      return;
    }
    const one = typeof data.call === "number" ? waiting.get(data.call) : undefined;
    if (!one) return;
    waiting.delete(data.call as number);
    clearTimeout(one.timer);
    if ("refusal" in data) return one.refuse(new Error(String(data.refusal).slice(0, 500)));
    try {
      one.take(readAnswer(one.name, "answer" in data ? data.answer : null));
    } catch (error) {
      one.refuse(error);
    }
  };
  // The page has no origin that could be named; its policy lets nothing but the inspector run in it.
  frame.contentWindow?.postMessage(HELLO, "*", [port2]);

  return {
    url: withoutHash(frame.src),
    call(name, ...args) {
      if (isClosed) return Promise.reject(gone());
      lastCall += 1;
      const call = lastCall;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(call);
          reject(new Error("The recorded page gives no answer. Show it again to try once more."));
        }, ANSWER_MS);
        waiting.set(call, { name, take: resolve as (value: unknown) => void, refuse: reject, timer });
        port.postMessage({ call, name, args });
      });
    },
    scale: () => frame.getBoundingClientRect().width / Math.max(1, frame.offsetWidth) || 1,
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
