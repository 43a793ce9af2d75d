/** Whether a page writes a number so. What a small one is rounded to says nothing of it: “1” for 0.745. */
export const isShownAs = (number: number, text: string, decimals: number): boolean =>
  number.toFixed(decimals) === text &&
  Math.abs(number - Number(number.toFixed(decimals))) <= Math.abs(number) * ROUNDED;
const ROUNDED = 0.01;
/** No page writes more, and no number has them. */
const MOST_DECIMALS = 20;
const LONGEST = 300;

/** The one number of a text: `€1,039.34` is 1039.34 with two decimals. */
export function figureOf(text: string): { text: string; decimals: number } | null {
  const found = text.match(/\d[\d.,]*/g);
  if (found?.length !== 1) return null;
  const plain = found[0]
    .replace(/[.,](?=\d{3}(?!\d))/g, "")
    .replace(",", ".")
    .replace(/\.$/, "");
  const decimals = plain.split(".")[1]?.length ?? 0;
  if (decimals > MOST_DECIMALS) return null;
  return { text: Number(plain).toFixed(decimals), decimals };
}

/** Whether a value is the one number of a text; of an amount also in hundredths: 1735 of `£17.35`. A count is none. */
export function isFigureOf(value: unknown, said: string | null): boolean {
  const number = typeof value === "string" && PLAIN.test(value) ? Number(value) : value;
  if (said === null || said.length > LONGEST || typeof number !== "number") return false;
  const figure = figureOf(said);
  if (figure === null) return false;
  const isAmount = figure.decimals === 2 || /\p{Sc}/u.test(said);
  return [number, ...(isAmount ? [number / 100] : [])].some((one) =>
    isShownAs(one, figure.text, figure.decimals),
  );
}

const PLAIN = /^-?\d{1,15}(?:\.\d{1,10})?$/;

/** Whether a text has a number as a whole one. */
export const hasNumber = (text: string, number: number): boolean =>
  new RegExp(`(?<![\\d.,])${RegExp.escape(String(number))}(?![\\d]|[.,]\\d)`).test(text);

/** How many of one unit make another, with what one of many is called. */
export const SCALES = [
  { factor: 100, part: "a hundredth of", times: "a hundred times" },
  { factor: 1_000, part: "a thousandth of", times: "a thousand times" },
  { factor: 60, part: "a sixtieth of", times: "sixty times" },
] as const;

/** That a figure is another one in another unit, as cents for euros, as a clause: `, a hundredth of that`; empty where it is not. */
export function byFactor(now: unknown, before: unknown): string {
  const [mine, theirs] = [now, before].map((value) =>
    typeof value === "number" || (typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value))
      ? Number(value)
      : 0,
  ) as [number, number];
  if (mine === 0 || theirs === 0) return "";
  for (const { factor, times, part } of SCALES) {
    if (mine === theirs * factor) return `, ${times} that`;
    if (mine * factor === theirs) return `, ${part} that`;
  }
  return "";
}

/** The one number in which two texts differ that are the same otherwise, in the singular or not: 1 and 2 of “1 order” and “2 orders”. */
export function figuresApart(want: string, got: string): { want: number; got: number } | null {
  if (Math.max(want.length, got.length) > LONGEST) return null;
  const wanted: string[] = want.match(/\d+/g) ?? [];
  const met: string[] = got.match(/\d+/g) ?? [];
  const [rest, other] = [want, got].map((text) =>
    text.replace(/\d+/g, "0").replace(/(?<=\p{L}{2})s\b/gu, ""),
  );
  const apart = wanted.flatMap((figure, at) => (figure === met[at] ? [] : [at]));
  const [at] = apart;
  return rest === other && wanted.length === met.length && at !== undefined && apart.length === 1
    ? { want: Number(wanted[at]), got: Number(met[at]) }
    : null;
}
