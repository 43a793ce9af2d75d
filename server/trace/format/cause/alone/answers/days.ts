const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH = String.raw`(\p{L}{3})\p{L}*\.?`;
const FORMS = [
  { pattern: /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/u, at: [1, 2, 3] },
  { pattern: new RegExp(String.raw`(?<!\d)(\d{1,2})\.? ${MONTH} (\d{4})`, "u"), at: [3, 2, 1] },
  { pattern: new RegExp(String.raw`${MONTH} (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})`, "u"), at: [3, 1, 2] },
] as const;
export const DAY_MS = 86_400_000;

/** The first date of a text whose form is beyond doubt, as days since 1970: `28 Feb 2026`, `February 28, 2026`, `2026-02-28`. */
export function dayIn(text: string): number | null {
  for (const { pattern, at } of FORMS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const [year, month, day] = at.map((part) => found[part]!) as [string, string, string];
    const nth = /\d/.test(month) ? Number(month) - 1 : MONTHS.indexOf(month.toLowerCase());
    if (nth >= 0 && nth < 12) return Date.UTC(Number(year), nth, Number(day)) / DAY_MS;
  }
  return null;
}
