const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
/** A date beyond doubt: “4 decks” is none. */
const DATES = new RegExp(
  `\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}|\\b\\d{1,2}\\.? ${MONTH}\\b|\\b${MONTH}\\.? \\d{1,2}\\b`,
  "gi",
);

/** Whether a part of a text lies in a date of it: its figures are counted nowhere. */
export function isOfDate(part: string, text: string): boolean {
  const from = text.indexOf(part);
  return (
    from >= 0 &&
    [...text.matchAll(DATES)].some(
      ({ index, 0: date }) => index < from + part.length && from < index + date.length,
    )
  );
}
