const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Whether a text says the day of a date: its month by name, its number, and its weekday or year. */
export function isDateIn(value: string, text: string): boolean {
  const date = ISO_DATE.test(value) ? new Date(value) : null;
  if (date === null || Number.isNaN(date.getTime())) return false;
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options }).format(date);
  const has = (words: string) => new RegExp(`(?<!\\w)${words}(?!\\d)`, "i").test(text);
  return (
    has(part({ month: "short" })) &&
    has(part({ day: "numeric" })) &&
    (has(part({ weekday: "short" })) || has(part({ year: "numeric" })))
  );
}
