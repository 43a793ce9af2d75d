import { signal } from "@preact/signals";
import { createPages } from "../../ui/pages.ts";
import { hasEnded, type Run, type RunFilters, runsApi } from "./api.ts";

const PAGE = 100;
/** Changes that come together are asked for together. */
const SETTLE_MS = 250;

/** The list of runs, which follows what happens to them. */
export function createRunList(filters: () => RunFilters) {
  const pages = createPages<Run>(
    (cursor, abort) => runsApi.list({ ...filters(), limit: PAGE, cursor: cursor ?? undefined }, abort),
    ({ id }) => id,
  );
  const isLive = signal(false);

  /** Lays the newest page over what is shown, and asks for older rows that changed or are not over. */
  async function refresh(changed: ReadonlySet<string>): Promise<void> {
    const asked = JSON.stringify(filters());
    const page = await runsApi.list({ ...filters(), limit: PAGE });
    const oldest = page.items.at(-1);
    const below = pages.items.value.filter(({ id }) => page.next_cursor !== null && oldest && id < oldest.id);
    const fresh = await Promise.all(
      below.map((run) => (changed.has(run.id) || !hasEnded(run) ? runsApi.show(run.id) : run)),
    );
    if (asked === JSON.stringify(filters())) pages.items.value = [...page.items, ...fresh];
  }

  /** Listens until the returned function is called. The browser connects again by itself. */
  function follow(onError: (error: unknown) => void): () => void {
    const stream = new EventSource("/v1/runs/live");
    let changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    let wasLost = false;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = null;
        const ids = changed;
        changed = new Set();
        refresh(ids).catch(onError);
      }, SETTLE_MS);
    };
    stream.onopen = () => {
      isLive.value = true;
      if (wasLost) soon();
      wasLost = false;
    };
    stream.onerror = () => {
      isLive.value = false;
      wasLost = true;
    };
    stream.onmessage = ({ data }: MessageEvent<string>) => {
      const news = JSON.parse(data) as { id?: unknown };
      changed.add(String(news.id));
      soon();
    };
    return () => {
      stream.close();
      pages.stop();
      if (timer) clearTimeout(timer);
    };
  }

  return { pages, isLive, follow };
}
