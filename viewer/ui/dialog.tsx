import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Close } from "./icons.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  width?: string;
}

/** A modal dialog: focus stays inside, Escape and a click outside close it. */
export function Dialog({ title, onClose, children, width }: DialogProps): JSX.Element {
  const host = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the next key, not after the next picture.
  useLayoutEffect(() => {
    host.current?.showModal();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, natively
    <dialog
      ref={host}
      class="dialog"
      aria-labelledby={titleId}
      style={{ width: width ?? "440px" }}
      onClose={onClose}
      onClick={(event) => event.target === host.current && host.current?.close()}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => host.current?.close()}>
            <Close />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
