import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { type IncidentAnswer, incidentsApi } from "./api.ts";

const DURATIONS = [
  [30 * 60, "30 minutes"],
  [2 * 3600, "2 hours"],
  [8 * 3600, "8 hours"],
  [24 * 3600, "1 day"],
  [3 * 24 * 3600, "3 days"],
  [7 * 24 * 3600, "1 week"],
  [30 * 24 * 3600, "30 days"],
] as const;

/** Asks how long an incident is to be silent, and why. */
export function Suppress({
  incident,
  onDone,
  onClose,
}: {
  incident: IncidentAnswer;
  onDone: () => void;
  onClose: () => void;
}): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function suppress(form: HTMLFormElement): Promise<void> {
    const given = new FormData(form);
    setBusy(true);
    setProblem(null);
    try {
      await incidentsApi.suppress(incident.id, {
        duration_seconds: Number(given.get("duration")),
        reason: String(given.get("reason")).trim(),
      });
      onDone();
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  }
  return (
    <Dialog title="Suppress the incident" onClose={onClose}>
      <form
        class="run-now"
        onSubmit={(event) => {
          event.preventDefault();
          void suppress(event.currentTarget);
        }}
      >
        <p class="dim">
          Nothing is told while it is suppressed. When it still fails after that, it opens again and is told
          once.{incident.severity === "warning" && " When runs begin to fail, it opens before that."}
        </p>
        <label>
          For
          <select class="select" name="duration">
            {DURATIONS.map(([seconds, word]) => (
              <option key={seconds} value={seconds} selected={seconds === 7200}>
                {word}
              </option>
            ))}
          </select>
        </label>
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
            Suppress
          </button>
        </div>
      </form>
    </Dialog>
  );
}
