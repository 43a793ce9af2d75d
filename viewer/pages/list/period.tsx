import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { filters, PERIODS, setFilters } from "./filters.ts";

const CUSTOM = "custom";

/** Quick periods, and two dates for the rest. */
export function PeriodPicker(): JSX.Element {
  const { since, from, to } = filters.value;
  const isCustom = useSignal(from !== "" || to !== "");
  const showDates = isCustom.value || from !== "" || to !== "";
  return (
    <div class="period">
      <select
        class="select"
        aria-label="Period"
        value={showDates ? CUSTOM : since}
        onChange={(event) => {
          const { value } = event.currentTarget;
          isCustom.value = value === CUSTOM;
          if (value !== CUSTOM) setFilters({ since: value, from: "", to: "" });
          else setFilters({ since: "" });
        }}
      >
        {PERIODS.map((period) => (
          <option key={period.value} value={period.value}>
            {period.label}
          </option>
        ))}
        <option value={CUSTOM}>From … to</option>
      </select>
      {showDates && (
        <>
          <input
            type="date"
            class="select"
            aria-label="From day"
            value={from}
            max={to || undefined}
            onChange={(event) => setFilters({ from: event.currentTarget.value, since: "" })}
          />
          <input
            type="date"
            class="select"
            aria-label="To day, included"
            value={to}
            min={from || undefined}
            onChange={(event) => setFilters({ to: event.currentTarget.value, since: "" })}
          />
        </>
      )}
    </div>
  );
}
