import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { notify } from "./toast.tsx";

type Opened = (props: { onClose: () => void }) => JSX.Element;

/** A dialog whose code is loaded when it is asked for. `Host` stands where it is to be, once on a page. */
export function lazyDialog(load: () => Promise<Opened>): {
  open: () => void;
  Host: () => JSX.Element | null;
} {
  const isOpen = signal(false);
  const loaded = signal<{ Dialog: Opened } | null>(null);
  const close = (): void => {
    isOpen.value = false;
  };

  function Host(): JSX.Element | null {
    useEffect(() => {
      if (!isOpen.value || loaded.peek()) return;
      load().then(
        (Dialog) => {
          loaded.value = { Dialog };
        },
        () => {
          close();
          notify("The dialog could not be loaded; reload the page.", { isError: true });
        },
      );
    }, [isOpen.value]);
    useEffect(() => close, []);
    const Dialog = isOpen.value ? loaded.value?.Dialog : undefined;
    return Dialog ? <Dialog onClose={close} /> : null;
  }

  return { open: () => (isOpen.value = true), Host };
}
