import { listen } from "./stream.ts";

interface NewsOptions {
  /** Called some time after news came: with the ids of all that changed meanwhile, of none where the connection is new and more may have changed. */
  onNews: (ids: ReadonlySet<string>) => void;
  /** News comes in bursts: how long they are gathered, in milliseconds. */
  settleMs: number;
  onConnection?: (isLive: boolean) => void;
}

/** Listens to a stream of what changed until the returned function is called. */
export function followNews(url: string, { onNews, settleMs, onConnection }: NewsOptions): () => void {
  let changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      const ids = changed;
      changed = new Set();
      onNews(ids);
    }, settleMs);
  };
  const end = listen(url, {
    onOpen() {
      onConnection?.(true);
      // What happened before, since the page asked or while the connection was lost, is not told again.
      soon();
    },
    onLost: () => onConnection?.(false),
    onMessage(data) {
      const news: unknown = JSON.parse(data);
      if (news && typeof news === "object" && "id" in news) changed.add(String(news.id));
      soon();
    },
  });
  return () => {
    end();
    if (timer) clearTimeout(timer);
  };
}
