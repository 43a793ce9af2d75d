import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { errorText } from "../../../api/request.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { isDealtWith } from "../../../ui/failing.ts";

interface ConfirmProps {
  title: string;
  /** On the button that does it. */
  word: string;
  /** What happens, before it does. */
  children: ComponentChildren;
  /** Text that has to be typed first. */
  typed?: string;
  act: () => Promise<void>;
  onClose: () => void;
}

/** Asks before something that cannot be taken back; says in place what went wrong. */
export function Confirm({ title, word, children, typed, act, onClose }: ConfirmProps): JSX.Element {
  const text = useSignal("");
  const isBusy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    problem.value = null;
    try {
      await act();
      onClose();
    } catch (error) {
      if (!isDealtWith(error)) problem.value = errorText(error);
    }
    isBusy.value = false;
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="settings-form" onSubmit={(event) => void run(event)}>
        <div>{children}</div>
        {typed !== undefined && (
          <label class="settings-field">
            <span>
              Type <code>{typed}</code> to go on
            </span>
            <input
              class="input"
              autoComplete="off"
              spellcheck={false}
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
              }}
            />
          </label>
        )}
        {problem.value && (
          <p class="is-failed" role="alert">
            {problem.value}
          </p>
        )}
        <div class="settings-actions">
          <button
            type="submit"
            class="button is-danger"
            disabled={isBusy.value || (typed !== undefined && text.value !== typed)}
          >
            {word}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
