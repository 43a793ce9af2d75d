import { type ReadonlySignal, signal } from "@preact/signals";
import { runsApi } from "./api.ts";

/** What a run's page looks like: the address of its newest picture that has come over. */
export interface Pictures {
  newest: ReadonlySignal<string | null>;
  /** Follows the run while the window can be seen, until the returned function is called. */
  follow(): () => void;
}

/** @param isOver asked when the stream has ended: whether that was for good */
export function createPictures(id: string, isOver: () => Promise<boolean>): Pictures {
  const newest = signal<string | null>(null);
  let stream: EventSource | null = null;
  let isDone = false;
  let last = -1;
  let wanted: string | null = null;
  let isLoading = false;

  /** One at a time comes over; of those that are told meanwhile only the newest follows. */
  async function load(): Promise<void> {
    if (isLoading) return;
    isLoading = true;
    while (wanted !== null && wanted !== newest.value) {
      const url = wanted;
      const image = new Image();
      image.src = url;
      // One that cannot be shown says so in its place.
      await image.decode().catch(() => {});
      newest.value = url;
    }
    isLoading = false;
  }

  function close(): void {
    stream?.close();
    stream = null;
  }

  function open(): void {
    if (stream || isDone) return;
    const opened = new EventSource(runsApi.picturesUrl(id, last));
    stream = opened;
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      const { seq, url } = JSON.parse(data) as { seq: number; url: string };
      // A connection that was made anew begins where the first one did.
      if (seq <= last) return;
      last = seq;
      wanted = url;
      void load();
    };
    opened.onerror = async () => {
      if (!(await isOver())) return;
      isDone = true;
      opened.close();
    };
  }

  return {
    newest,
    follow() {
      const onVisible = () => (document.visibilityState === "visible" ? open() : close());
      document.addEventListener("visibilitychange", onVisible);
      onVisible();
      return () => {
        isDone = true;
        document.removeEventListener("visibilitychange", onVisible);
        close();
      };
    },
  };
}
