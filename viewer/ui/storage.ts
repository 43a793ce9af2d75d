/** What a person set once and finds again: sizes, theme. A browser that refuses storage only forgets. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`tracedeck.${key}`);
  } catch {
    return null;
  }
}

/** Keeps a setting, or removes it with null. A refused or full storage is no error: the setting holds until the page is left. */
export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`tracedeck.${key}`);
    else localStorage.setItem(`tracedeck.${key}`, value);
  } catch {
    return;
  }
}

/** A remembered number within its bounds, else the fallback. */
export function recallNumber(key: string, fallback: number, min: number, max: number): number {
  const value = Number.parseFloat(recall(key) ?? "");
  return Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : fallback;
}
