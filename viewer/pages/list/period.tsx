import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { dayAfter, dayOf, filters, PERIODS, setFilters } from "./filters.ts";

const CUSTOM = "custom";

/** Quick periods, and two dates for the rest. */
export function PeriodPicker(): JSX.Element {
  const { after = "", before = "" } = filters.value;
  const isQuick = before === "" && PERIODS.some(({ value }) => value === after);
  const wantsDates = useSignal(false);
  const showDates = !isQuick || (wantsDates.value && after === "");
  const from = dayOf(after);
  const to = dayOf(before) && dayAfter(before, -1);
  return (
    <div class="period">
      <select
        class="select"
        aria-label="Period"
        value={showDates ? CUSTOM : after}
        onChange={(event) => {
          const { value } = event.currentTarget;
          wantsDates.value = value === CUSTOM;
          setFilters({ after: value === CUSTOM ? "" : value, before: "" });
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
            onChange={(event) => setFilters({ after: event.currentTarget.value })}
          />
          <input
            type="date"
            class="select"
            aria-label="To day, included"
            value={to}
            min={from || undefined}
            onChange={(event) => {
              const day = event.currentTarget.value;
              setFilters({ before: day && dayAfter(day, 1) });
            }}
          />
        </>
      )}
    </div>
  );
}
