import { toIso } from "./clock.ts";

/** The calendar month of a time, UTC; epoch ms, the end not included. */
export function monthOf(now: number): { since: number; until: number } {
  const [year, month] = toIso(now).split("-").map(Number) as [number, number];
  return { since: Date.UTC(year, month - 1), until: Date.UTC(year, month) };
}
