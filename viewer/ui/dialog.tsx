import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Close } from "./icons.tsx";
import { Modal } from "./modal.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  width?: string;
}

/** A modal dialog with a title: focus stays inside, Escape and a click outside close it. */
export function Dialog({ title, onClose, children, width = "440px" }: DialogProps): JSX.Element {
  const titleId = useId();
  return (
    <Modal class="dialog" labelledBy={titleId} width={width} onClose={onClose}>
      {(close) => (
        <div class="dialog-body">
          <div class="dialog-head">
            <h2 id={titleId}>{title}</h2>
            <button type="button" class="icon-button" aria-label="Close" onClick={close}>
              <Close />
            </button>
          </div>
          {children}
        </div>
      )}
    </Modal>
  );
}
