import type { SeenElement } from "../../page/page-view.ts";
import { DATE } from "../../values/clock-texts.ts";
import { DAY_MS, dayIn } from "../../values/dates.ts";
import { quoted } from "../../words.ts";

const LONGEST = 200;
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** Of the elements that say what is wanted but for its day, the one whose day is nearest to it, as a clause; null where there is none. */
export function otherDay(wanted: string, elements: readonly SeenElement[]): string | null {
  const day = dayOf(wanted);
  const form = formOf(wanted);
  if (day === null || !form.includes("<day>")) return null;
  let nearest: { text: string; apart: number } | null = null;
  for (const { own, isHidden } of elements) {
    if (isHidden || own.length > LONGEST || own.includes(wanted) || !formOf(own).includes(form)) continue;
    const other = dayOf(own);
    const apart = other === null ? 0 : Math.abs(other - day);
    if (apart > 0 && apart < (nearest?.apart ?? Number.POSITIVE_INFINITY)) nearest = { text: own, apart };
  }
  return nearest && `the test looked for ${quoted(wanted, 80)}, the page shows ${quoted(nearest.text, 80)}`;
}

const DAYS_OF_YEAR = 366;

/** By which of two neighbour days one text is beside another, from the end of a year to the next one too; null where they are not. */
export function neighbourDay(text: string, usual: string): "before" | "after" | null {
  const [day, before] = [dayOf(text), dayOf(usual)];
  if (day === null || before === null) return null;
  const apart = day - before;
  if (apart === -1 || apart === DAYS_OF_YEAR - 1) return "before";
  return apart === 1 || apart === 1 - DAYS_OF_YEAR ? "after" : null;
}

/** A text without its dates and the short names of their weekdays. */
const formOf = (text: string): string =>
  text
    .replace(/\b(?:mon|tue|wed|thu|fri|sat|sun)\b\.?,? ?/gi, "")
    .replace(/ (?=[,.;:])/g, "")
    .replace(DATES, "<day>");

const DATES = new RegExp(DATE.source, "gi");

/** The first date of a text as days since 1970; of one that names no year, as of one and the same year. */
function dayOf(text: string): number | null {
  const dated = dayIn(text);
  if (dated !== null) return dated;
  const named = /(?<!\d)(\d{1,2})\.? (\p{L}{3})\p{L}{0,9}/u.exec(text);
  const turned = /(\p{L}{3})\p{L}{0,9}\.? (\d{1,2})(?!\d)/u.exec(text);
  for (const [day, month] of [
    [named?.[1], named?.[2]],
    [turned?.[2], turned?.[1]],
  ]) {
    const nth = MONTHS.indexOf(month?.toLowerCase() ?? "");
    if (day !== undefined && nth >= 0) return Date.UTC(2000, nth, Number(day)) / DAY_MS;
  }
  return null;
}
