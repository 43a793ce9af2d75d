import type { Finding } from "../types.ts";
import { ASKED_OTHERWISE } from "./words.ts";

/** A script of the page that is another one than in every pass: one of its own, or one that it names. */
export const isChangedScript = ({ title, is_new, kind }: Finding): boolean =>
  is_new === true &&
  kind === "answer_changed" &&
  (title.startsWith("The script ") || / came with another script in it: /.test(title));

/** What scripts do: ask for nothing more, send another value, take no notice of a click, send twice. */
const DEED = /^(?:unsent|body|idle|sent|lost) /;

/** What a changed script did, the weightiest of it; undefined where an answer of another content led to it. */
export function deedOf(news: readonly Finding[]): Finding | undefined {
  const deeds = news.filter(({ about, is_new }) => is_new === true && DEED.test(about ?? ""));
  const deed = deeds.toSorted((a, b) => b.weight - a.weight)[0];
  return deed && isLedTo(deed, news) ? undefined : deed;
}

/** Whether an earlier answer that says something else than in passes made the page do it. */
export const isLedTo = ({ ts }: Finding, news: readonly Finding[]): boolean =>
  news.some(
    (one) =>
      one.kind === "answer_changed" &&
      one.weight >= 0.8 &&
      one.ts !== null &&
      one.ts < (ts ?? 0) &&
      !isChangedScript(one) &&
      !ASKED_OTHERWISE.test(one.title),
  );
