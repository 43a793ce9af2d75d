import { readAnswer, readNews } from "./check.ts";
import { openLine } from "./line.ts";
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

/** Hands the inspector of a loaded frame a port of its own; nothing else can speak on it. */
export function openLink(frame: HTMLIFrameElement, onNews: (told: Told) => void): Link {
  const { port1: port, port2 } = new MessageChannel();
  const line = openLine(port, (data) => {
    const told = readNews(data);
    if (told) onNews(told);
  });
  // The page has no origin that could be named; its policy lets nothing but the inspector run in it.
  frame.contentWindow?.postMessage(HELLO, "*", [port2]);

  return {
    url: withoutHash(frame.src),
    call: async (name, ...args) => readAnswer(name, await line.call(name, args)),
    scale: () => frame.getBoundingClientRect().width / Math.max(1, frame.offsetWidth) || 1,
    close: line.close,
  };
}
