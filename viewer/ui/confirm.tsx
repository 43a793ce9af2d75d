import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../api/request.ts";
import { Dialog } from "./dialog.tsx";

interface ConfirmProps {
  /** The question. */
  title: string;
  /** What the button that does it says. */
  word: string;
  /** Does it; what it throws is shown, and the dialog stays. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** What follows from it. */
  children: ComponentChildren;
}

/** Asks before something is done that cannot be taken back. */
export function Confirm({ title, word, onConfirm, onClose, children }: ConfirmProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const act = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {problem && (
        <p class="is-failed captured" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose} autofocus>
          Cancel
        </button>
        <button type="button" class="button is-danger" disabled={isBusy} onClick={() => void act()}>
          {word}
        </button>
      </div>
    </Dialog>
  );
}
