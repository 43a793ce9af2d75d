import { computed } from "@preact/signals";
import { query, setQuery } from "../../router.ts";

/** What the list is narrowed to; lives in the address. */
export interface Filters {
  q: string;
  status: string;
  source: string;
  tier: string;
  scenario: string;
  signature: string;
  pinned: string;
  /** `24h`, `7d`: counted back from the moment of asking. */
  since: string;
  /** Dates (YYYY-MM-DD) in the reader's zone; `to` is the last day included. */
  from: string;
  to: string;
}

export const FILTER_KEYS = [
  "q",
  "status",
  "source",
  "tier",
  "scenario",
  "signature",
  "pinned",
  "since",
  "from",
  "to",
] as const satisfies (keyof Filters)[];

export const filters = computed<Filters>(() => {
  const entries = FILTER_KEYS.map((key) => [key, query.value.get(key) ?? ""]);
  return Object.fromEntries(entries) as Filters;
});

export const isFiltered = computed(() => FILTER_KEYS.some((key) => filters.value[key] !== ""));

/** Sets some filters; "" removes one. Typing replaces the address, choosing adds to the history. */
export function setFilters(changes: Partial<Filters>, options: { replace?: boolean } = {}): void {
  setQuery(changes, options);
}

export function clearFilters(): void {
  setQuery(Object.fromEntries(FILTER_KEYS.map((key) => [key, null])));
}

export const PERIODS: { value: string; label: string }[] = [
  { value: "", label: "Any time" },
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
];

const HOUR = 3_600_000;

function sinceMs(since: string): number | null {
  const parts = /^(\d{1,4})([hd])$/.exec(since);
  if (!parts) return null;
  return Number(parts[1]) * (parts[2] === "d" ? 24 * HOUR : HOUR);
}

function dayStart(day: string, plusDays: number): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!parts) return undefined;
  const date = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + plusDays);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The filters as `GET /v1/traces` takes them. */
export function toApiQuery(chosen: Filters, now: number): Record<string, string | undefined> {
  const period = sinceMs(chosen.since);
  return {
    q: chosen.q,
    status: chosen.status,
    source: chosen.source,
    tier: chosen.tier,
    scenario: chosen.scenario,
    signature: chosen.signature,
    pinned: chosen.pinned,
    from: period === null ? dayStart(chosen.from, 0) : new Date(now - period).toISOString(),
    to: period === null ? dayStart(chosen.to, 1) : undefined,
  };
}
