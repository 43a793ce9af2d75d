import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { menderApi } from "./api.ts";

/** Asks why a fix is rejected. */
export function Reject({
  id,
  onDone,
  onClose,
}: {
  id: string;
  onDone: () => void;
  onClose: () => void;
}): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function reject(form: HTMLFormElement): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await menderApi.reject(id, String(new FormData(form).get("reason")).trim());
      onDone();
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  }
  return (
    <Dialog title="Reject the fix" onClose={onClose}>
      <form
        class="run-now"
        onSubmit={(event) => {
          event.preventDefault();
          void reject(event.currentTarget);
        }}
      >
        <p class="dim">The same change of this scenario is not proposed again.</p>
        <label>
          Reason, shown to everybody
          <input class="input" name="reason" required maxLength={500} autocomplete="off" autofocus />
        </label>
        {problem && (
          <p class="is-failed captured" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary" disabled={isBusy}>
            Reject
          </button>
        </div>
      </form>
    </Dialog>
  );
}
