import { computed, signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Toasts } from "./toast.tsx";

interface ModalProps {
  class: string;
  /** What it is called, or the id of the element that says so. */
  label?: string;
  labelledBy?: string;
  width?: string;
  onClose: () => void;
  /** @param close as Escape does */
  children: (close: () => void) => ComponentChildren;
}

/** The dialogs that are open, the topmost last. */
const open = signal<readonly object[]>([]);
/** Whether what lies on the page itself is out of reach. */
export const isModalOpen = computed(() => open.value.length > 0);

/**
 * Lies above the page: focus stays inside, Escape and a click outside close it. Messages in passing are shown in the topmost
 * one, as nothing below it can be reached.
 */
export function Modal({
  class: className,
  label,
  labelledBy,
  width,
  onClose,
  children,
}: ModalProps): JSX.Element {
  const host = useRef<HTMLDialogElement>(null);
  const own = useMemo(() => ({}), []);
  // A press that begins in a field and ends outside, as when its text is selected, is no click outside.
  const pressed = useRef<EventTarget | null>(null);
  const close = (): void => host.current?.close();
  // Before the next key, not after the next picture.
  useLayoutEffect(() => {
    host.current?.showModal();
    open.value = [...open.peek(), own];
    return () => {
      open.value = open.peek().filter((one) => one !== own);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, natively
    <dialog
      ref={host}
      class={className}
      aria-label={label}
      aria-labelledby={labelledBy}
      style={width === undefined ? undefined : { width }}
      onClose={onClose}
      onPointerDown={({ target }) => {
        pressed.current = target;
      }}
      onClick={({ target }) => target === host.current && pressed.current === host.current && close()}
    >
      {children(close)}
      <Toasts isHere={open.value.at(-1) === own} />
    </dialog>
  );
}
