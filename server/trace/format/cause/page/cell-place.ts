import { partsOf } from "./wanted.ts";

/** The place among the cells of a row that a locator asks for, from 0; null where it asks for none. */
export function cellPlaceIn(locator: string): number | null {
  const last = partsOf(locator).at(-1) ?? "";
  const child = /\bt[dh]:nth-child\((\d{1,3})\)/.exec(last)?.[1];
  if (child !== undefined) return Number(child) - 1;
  if (/\bt[dh]:first-child\b/.test(last)) return 0;
  const [, nth, first] = CELL_BY_PLACE.exec(last) ?? [];
  return nth !== undefined ? Number(nth) : first !== undefined ? 0 : null;
}

const CELL_BY_PLACE = /^(?:getByRole\('(?:grid)?cell'\)|locator\('td'\))\.(?:nth\((\d{1,3})\)|(first)\(\))$/;
