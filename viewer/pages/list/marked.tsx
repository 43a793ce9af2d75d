import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { TraceListItem } from "../../api/answers.ts";
import { navigate } from "../../router.ts";
import { Close, Compare } from "../../ui/icons.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";

/** The traces marked for comparing, at most two. */
export const marked = signal<readonly TraceListItem[]>([]);

export const isMarked = (id: string): boolean => marked.value.some((item) => item.id === id);

/** Marks a trace or takes its mark away; of three the two newest marks stay. */
export function toggleMark(item: TraceListItem): void {
  marked.value = isMarked(item.id)
    ? marked.value.filter(({ id }) => id !== item.id)
    : [...marked.value, item].slice(-2);
}

/**
 * Compares the two marked traces, the earlier one as A; or the one that is marked with the chosen row; or the chosen row
 * alone with the last pass before it.
 */
export function compareMarked(current: TraceListItem | undefined): boolean {
  const two =
    marked.value.length === 1 && current && !isMarked(current.id) ? [...marked.value, current] : marked.value;
  // Identifiers grow with time.
  const [one, other] = two.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (one && other) {
    marked.value = [];
    navigate(`/compare?a=${one.id}&b=${other.id}`);
  } else if (one) notify("Mark a second trace to compare with.");
  else if (current) navigate(`/compare?b=${current.id}`);
  else return false;
  return true;
}

/** What is marked, and what for. */
export function MarkedBar(): JSX.Element | null {
  const [one, other] = marked.value;
  if (!one) return null;
  return (
    <section class="marked-bar" aria-label="Marked for comparing">
      <Compare />
      <ul>
        {marked.value.map((item) => (
          <li key={item.id}>
            <Status status={item.status} />
            <span class="ellipsis captured">{oneLine(item.scenario_title || item.scenario_slug, 120)}</span>
          </li>
        ))}
      </ul>
      {!other && <span class="dim">Mark one more to compare them.</span>}
      <span class="bar-space" />
      <button
        type="button"
        class="button is-primary"
        disabled={!other}
        title="Compare ( c )"
        onClick={() => compareMarked(undefined)}
      >
        Compare
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Take the marks away"
        onClick={() => {
          marked.value = [];
        }}
      >
        <Close />
      </button>
    </section>
  );
}
