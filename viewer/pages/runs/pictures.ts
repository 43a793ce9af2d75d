import { type ReadonlySignal, signal } from "@preact/signals";
import { openStream } from "../../ui/stream.ts";
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

  return {
    newest,
    follow() {
      const end = openStream(() => runsApi.picturesUrl(id, last), {
        onMessage(data) {
          const { seq, url } = JSON.parse(data) as { seq: number; url: string };
          // A connection that was made anew begins where the first one did.
          if (seq <= last) return;
          last = seq;
          wanted = url;
          void load();
        },
        async onLost() {
          if (await isOver()) end();
        },
      });
      return end;
    },
  };
}
