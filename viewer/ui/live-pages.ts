import { signal } from "@preact/signals";
import { hasEnded, type TraceStatus } from "../api/answers.ts";
import { ApiError } from "../api/request.ts";
import { followNews } from "./news.ts";
import { createPages, type Page } from "./pages.ts";

const SETTLE_MS = 250;

interface LiveOptions<Item> {
  fetchPage: (cursor: string | null, signal: AbortSignal) => Promise<Page<Item>>;
  /** One row as it is now. */
  show: (id: string) => Promise<Item>;
  /** The stream that tells the ids of what changed. */
  newsUrl: string;
}

/** A list, newest first, of what runs and ends: it follows what happens to its rows. */
export function createLivePages<Item extends { id: string; status: TraceStatus }>(
  options: LiveOptions<Item>,
) {
  const pages = createPages<Item>(options.fetchPage, ({ id }) => id);
  const isLive = signal(false);

  async function show(id: string): Promise<Item | null> {
    try {
      return await options.show(id);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** Listens until the returned function is called, which also gives up what was asked for. */
  function follow(onNews?: () => void): () => void {
    const end = followNews(options.newsUrl, {
      settleMs: SETTLE_MS,
      onConnection: (isConnected) => {
        isLive.value = isConnected;
      },
      onNews: (changed) => {
        onNews?.();
        void pages.refresh({
          // Ids grow with time.
          isBelow: (item, last) => item.id < last.id,
          // A row that has not ended may have done so while the connection was lost.
          renew: async (item) => (changed.has(item.id) || !hasEnded(item) ? show(item.id) : item),
        });
      },
    });
    return () => {
      end();
      pages.stop();
    };
  }

  return { ...pages, isLive, follow };
}
