const MONTH =
  "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|déc)[a-zäéûô]*";
const DAY = "(?:3[01]|[12]\\d|0?[1-9])";
/** A date. The texts of neighbouring cells may stand right beside a date. */
export const DATE = new RegExp(
  `\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}[./-]\\d{1,2}[./-]\\d{2,4}|\\d{1,2}\\.? ${MONTH}\\.?(?: \\d{4})?|${MONTH}\\.? ${DAY}(?:st|nd|rd|th)?(?:,? \\d{4})?|\\b(?:today|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\\b`,
  "i",
);
/** A time of the day. */
export const CLOCK = /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?/i;

/** The times of the day that a text says, as `19:30`. */
export const clocksIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/\b(\d{1,2}):(\d{2})(?::\d{2})?(?:\s?([ap])\.?m\.?)?/gi)].map(
      ([, hour, minute, half]) => {
        const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
        return `${String(hours).padStart(2, "0")}:${minute}`;
      },
    ),
  );

/** Whether two texts with one time of the day each are whole hours apart, as most zones are: what is not may be how long something took. */
export function areZonesApart(want: string, got: string): boolean {
  const [mine, theirs] = [clocksIn(want), clocksIn(got)];
  const minutes = (clock: string) => clock.slice(3);
  return mine.size !== 1 || theirs.size !== 1 || minutes([...mine][0]!) === minutes([...theirs][0]!);
}
