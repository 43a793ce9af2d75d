import { holdKeys } from "./type-ahead.ts";

/** Takes over the keys that are held back for the palette; null while none are. */
let take: (() => string) | null = null;

export const isPaletteAwaited = (): boolean => take !== null;

/** Holds back what is typed until the palette is there, or Escape takes the wish back. */
export function holdForPalette(): void {
  take = holdKeys(() => {
    take = null;
  });
}

/** Lets the keys go their way again; what was typed up to now. */
export function takeTypedAhead(): string {
  const typed = take?.() ?? "";
  take = null;
  return typed;
}
