import { type ReadonlySignal, signal } from "@preact/signals";

/** A picture of a run's page, as the stream tells it. */
export interface Picture {
  seq: number;
  url: string;
}

/** What a run's page looks like: the address of its newest picture that has come over. */
export interface Pictures {
  newest: ReadonlySignal<string | null>;
  /** Seq of the last picture that was told; -1 before the first. */
  last(): number;
  /** A picture that is told. */
  take(picture: Picture): void;
}

export function createPictures(): Pictures {
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
    last: () => last,
    take({ seq, url }) {
      // A connection that the browser made anew begins where the first one did.
      if (seq <= last) return;
      last = seq;
      wanted = url;
      void load();
    },
  };
}
