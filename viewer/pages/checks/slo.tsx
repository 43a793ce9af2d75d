import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SloAnswer } from "../../../server/watch/availability/model.ts";
import { errorText } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatDuration, formatWall } from "../../ui/format.ts";
import { CheckCircle, CrossCircle, Help, Warning } from "../../ui/icons.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { type Check, checksApi } from "./api.ts";
import { percentText } from "./availability.tsx";
import { Problem } from "./form.tsx";
import { Part } from "./parts.tsx";

const STATES = {
  ok: { word: "Kept", icon: CheckCircle, tone: "is-passed" },
  slow_burn: { word: "Burns slowly", icon: Warning, tone: "is-error" },
  fast_burn: { word: "Burns fast", icon: Warning, tone: "is-failed" },
  exhausted: { word: "Missed", icon: CrossCircle, tone: "is-failed" },
  no_data: { word: "No data", icon: Help, tone: "is-quiet" },
} as const;

/** What is promised of a check, what is left of it, and how fast that goes. */
export function SloPart({
  check,
  revision,
  onChange,
}: {
  check: Check;
  revision: number;
  onChange: () => void;
}): JSX.Element {
  const { slo } = check;
  const { data, error } = useLoad(
    slo && `${check.id} ${slo.target_percent} ${slo.window_days}`,
    (signal) => checksApi.slo(check.id, signal),
    revision,
  );
  return (
    <Part
      title="Objective (SLO)"
      more={
        <button type="button" class="link-button" onClick={onChange}>
          {slo ? "Change" : "Set"}
        </button>
      }
    >
      {!slo && (
        <p class="dim">
          None is set. One says how much of the time it is to be up, and tells what is left of that.
        </p>
      )}
      {error !== null && <Problem text={errorText(error)} />}
      {slo && data && <Budget answer={data} />}
    </Part>
  );
}

function Budget({ answer }: { answer: SloAnswer }): JSX.Element {
  const { slo, state, budget, burn_rates, exhausted_at, availability_percent } = answer;
  const { word, icon: Icon, tone } = STATES[state];
  const left = Math.max(0, Math.min(100, budget.left_percent ?? 0));
  const days = `${slo.window_days} ${slo.window_days === 1 ? "day" : "days"}`;
  return (
    <div class="slo">
      <p class="slo-head">
        <strong class="slo-figure num">{percentText(availability_percent)}</strong>
        <span class={`status ${tone}`}>
          <Icon />
          <span class="status-word">{word}</span>
        </span>
      </p>
      <p class="dim">
        {slo.target_percent} % are promised over {days}.
      </p>
      {budget.left_percent !== null && (
        <>
          <svg class="slo-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect class="is-ground" width={100} height={8} />
            <rect class={tone} fill="currentColor" width={left} height={8} />
          </svg>
          <p>
            {budget.left_ms >= 0
              ? `${formatDuration(budget.left_ms)} of ${formatDuration(budget.total_ms)} that it may be down are left (${Math.floor(budget.left_percent)} %).`
              : `It was down for ${formatDuration(-budget.left_ms)} more than the ${formatDuration(budget.total_ms)} that it may be.`}
          </p>
        </>
      )}
      {exhausted_at && (
        <p class="fires-warning">
          At the pace of the last 3 days nothing is left on {formatWall(exhausted_at)}.
        </p>
      )}
      <table class="slo-rates">
        <caption class="dim">Burn rate: at 1 the budget lasts for exactly {days}.</caption>
        <tbody>
          {burn_rates.map(({ hours, rate, limit }) => (
            <tr key={hours}>
              <th scope="row">
                {hours === 1 ? "Last hour" : hours === 72 ? "Last 3 days" : `Last ${hours} hours`}
              </th>
              <td class={`num ${rate !== null && rate >= limit ? "is-failed" : ""}`}>
                {rate === null ? "no data" : `${rate}×`}
              </td>
              <td class="num dim">look from {limit}× on</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const USUAL = { target_percent: 99.9, window_days: 28 };

/** Sets what is promised of a check, or takes it back. */
export function SloDialog({
  check,
  onSaved,
  onClose,
}: {
  check: Check;
  onSaved: (check: Check) => void;
  onClose: () => void;
}): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null);
  const { target_percent, window_days } = check.slo ?? USUAL;
  const save = (slo: Check["slo"]): void => {
    checksApi.update(check.id, { slo }).then(onSaved, (error: unknown) => setProblem(errorText(error)));
  };
  return (
    <Dialog title="Objective" onClose={onClose}>
      <form
        class="form check-form"
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget);
          save({ target_percent: Number(given.get("target")), window_days: Number(given.get("days")) });
        }}
      >
        <div class="check-form-row">
          <label>
            Up, in % of the measured time
            <input
              class="input"
              type="number"
              name="target"
              min={1}
              max={99.9999}
              step="any"
              required
              defaultValue={String(target_percent)}
            />
          </label>
          <label>
            over so many days
            <input
              class="input"
              type="number"
              name="days"
              min={1}
              max={90}
              required
              defaultValue={String(window_days)}
            />
          </label>
        </div>
        <p class="dim">
          The window rolls: it always ends now. Times of maintenance, pauses and without data count neither
          for it nor against it.
        </p>
        <Problem text={problem} />
        <div class="dialog-foot">
          {check.slo && (
            <button type="button" class="button" onClick={() => save(null)}>
              Remove
            </button>
          )}
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
