import { lapse } from "../words.ts";

const MINUTE = 60_000;

/** A span of time in the unit that a person would take for it: `7 days`. */
export function lengthOf(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / MINUTE);
  if (minutes < 2) return lapse(Math.abs(ms));
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
