import { batch, effect, type ReadonlySignal } from "@preact/signals";
import { query, setQuery } from "../../router.ts";
import { type Address, readAddress, writeAddress } from "./address.ts";

const WRITE_MS = 200;

interface HistoryOptions {
  address: ReadonlySignal<Address>;
  /** Browsers take only so many changes in a while: what plays is written when it stands. */
  isPaused: ReadonlySignal<boolean>;
  /** Puts the reader where an address says. Called in a batch. */
  apply(address: Address): void;
}

/**
 * Keeps the page's address and the reader's place the same. Where the reader moves along, the present entry of the history
 * moves with it; a jump is an entry of its own, so that "back" leads to where it was made.
 */
export function createHistory({ address, isPaused, apply }: HistoryOptions) {
  let timer: ReturnType<typeof setTimeout> | null = null;
  /** While a change runs that is a jump, or is none, what lies within is not one by itself. */
  let isWithin = false;
  /** The address without its event, when the present entry was made by opening one: closing it leads back. */
  let opened: string | null = null;
  let isWriting = false;
  let isReading = false;

  const around = (): string => JSON.stringify({ ...address.peek(), event: null });

  function write(isNew: boolean): void {
    if (timer) clearTimeout(timer);
    timer = null;
    isWriting = true;
    setQuery(writeAddress(address.peek()), { replace: !isNew });
    isWriting = false;
  }

  const stopWriting = effect(() => {
    if (isPaused.value) return;
    void address.value;
    if (!isReading) timer ??= setTimeout(() => write(false), WRITE_MS);
  });

  const stopReading = effect(() => {
    const wanted = readAddress(query.value);
    if (timer || isPaused.peek()) return;
    // The reader went back or forward, or something else has changed the entry.
    if (!isWriting) opened = null;
    readFrom(wanted);
  });

  /** What comes from the address need not be written into it: by then another entry may be the present one. */
  function readFrom(wanted: Address): void {
    isReading = true;
    batch(() => apply(wanted));
    isReading = false;
  }

  /** Back and forward win over what was about to be written. */
  function follow(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    readFrom(readAddress(query.peek()));
  }
  addEventListener("popstate", follow);

  return {
    jump(change: () => void): void {
      if (isWithin) {
        change();
        return;
      }
      // What was changed before belongs to the entry before.
      if (timer) write(false);
      const before = around();
      const { event } = address.peek();
      isWithin = true;
      batch(change);
      isWithin = false;
      write(true);
      const isOpening = event === null && address.peek().event !== null;
      opened = isOpening && around() === before ? before : null;
    },
    step(change: () => void): void {
      const wasWithin = isWithin;
      isWithin = true;
      batch(change);
      isWithin = wasWithin;
    },
    /** Closes what `jump` opened by going back, where nothing else has changed since; else as a change of this entry. */
    close(change: () => void): void {
      const isSame = opened !== null && opened === around();
      opened = null;
      if (isSame) history.back();
      else change();
    },
    dispose(): void {
      stopWriting();
      stopReading();
      removeEventListener("popstate", follow);
      if (timer) clearTimeout(timer);
    },
  };
}
