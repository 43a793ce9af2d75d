/** A longer line would not be taken by whoever keeps the events. */
const LONGEST_LINE = 1024 * 1024;
/** What is tried in turn: how long a text may be, and of how many items a list. */
const BOUNDS = [
  { text: 64 * 1024, items: 1000 },
  { text: 4 * 1024, items: 200 },
  { text: 256, items: 20 },
] as const;
const DEEPEST = 20;

/**
 * An event as a line without its end. What a page made too large for one is cut, lists and texts, and the event says so by
 * `is_shortened: true`: nothing that a page says may keep its recording from being taken.
 */
export function boundedLine(event: Record<string, unknown> & { kind: string }): string {
  const line = JSON.stringify(event);
  if (line.length <= LONGEST_LINE) return line;
  for (const bound of BOUNDS) {
    const cut = { ...(shorten(event, bound, 0) as Record<string, unknown>), is_shortened: true };
    const shorter = JSON.stringify(cut);
    if (shorter.length <= LONGEST_LINE) return shorter;
  }
  const { seq, ts, kind, step_id } = event;
  return JSON.stringify({ seq, ts, kind, step_id, is_shortened: true });
}

function shorten(value: unknown, bound: (typeof BOUNDS)[number], depth: number): unknown {
  if (typeof value === "string")
    return value.length <= bound.text ? value : `${Buffer.from(value.slice(0, bound.text))}…`;
  if (value === null || typeof value !== "object") return value;
  if (depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.slice(0, bound.items).map((item) => shorten(item, bound, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, bound.items)
      .map(([name, item]) => [name.slice(0, bound.text), shorten(item, bound, depth + 1)]),
  );
}
