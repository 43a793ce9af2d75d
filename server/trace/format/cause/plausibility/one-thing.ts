import { topicsOf } from "../run/operations.ts";
import type { Finding } from "../types.ts";

/** A finding of a request that is sent to be kept. */
export const WRITE = /^(?:POST|PUT|PATCH|DELETE) (\S+)/;

/** A finding of an answer to a question, which changes nothing. */
export const isOfRead = ({ kind, title, isRead }: Finding): boolean =>
  (kind === "answer_changed" || kind === "stale_answer") && (isRead ?? title.startsWith("GET "));

/** Whether one of two findings came before the other, or is of the same moment. */
export const isBehind = (one: Finding, other: Finding): boolean =>
  one.ts !== null && one.ts <= (other.ts ?? Number.POSITIVE_INFINITY);

/** Whether what is written and what is read have the last word of their addresses in common, or the id that they end in. */
export function isOfOneThing(written: string, read: string): boolean {
  if (WRITE.test(written) && endOf(written) !== null && endOf(written) === endOf(read)) return true;
  if (OPERATION.test(read)) return topicsIn(read).some((topic) => topicsIn(written).includes(topic));
  const [mine, theirs] = [WRITE.exec(written)?.[1], /^GET (\S+)/.exec(read)?.[1]].map((address) =>
    (address ?? "")
      .replace(/[?#].*/s, "")
      .split("/")
      .filter((word) => /[a-z]{3}/i.test(word) && word !== "api"),
  ) as [string[], string[]];
  const [last, lastRead] = [mine.at(-1), theirs.at(-1)];
  return last !== undefined && lastRead !== undefined && (theirs.includes(last) || mine.includes(lastRead));
}

/** A request by its operation, where one address answers everything: `POST /graphql (OpenInvoices)`. */
const OPERATION = /^POST \S+ \((\w+)\)/;

const topicsIn = (title: string): string[] =>
  topicsOf(OPERATION.exec(title)?.[1] ?? partsOf(title).join(" "));

/** Whether what is read is of what another finding tells was written: by their addresses, those of another run's things by what they are called across runs. */
export const isReadOf = (read: Finding, written: Finding): boolean =>
  isOfOneThing(written.title, read.title) ||
  (written.kind === "request_unsent" &&
    WRITE.test(written.title) &&
    written.about?.replace(/^unsent [A-Z]+/, "url") === read.about);

/** Whether two addresses are of one record: the same kind and id stand in both, whatever of it they are about. */
export function isOfOneRecord(one: string, other: string): boolean {
  const [mine, theirs] = [one, other].map(partsOf) as [string[], string[]];
  const at = mine.findIndex((part, place) => part !== theirs[place]);
  return mine.slice(0, at < 0 ? mine.length : at).some((part) => ID.test(part));
}

const ID = /^(?=.*\d)[\w-]{6,}$|^\d+$/;

/** An id that is made for one thing: a number is that of many. */
const MADE = /^(?=.*[a-z])(?=.*\d)[\w-]{6,64}$/i;

/** The id that an address ends in. */
function endOf(title: string): string | null {
  const end = partsOf(title).at(-1) ?? "";
  return MADE.test(end) ? end : null;
}

const partsOf = (title: string): string[] =>
  (/^[A-Z]+ (\S+)/.exec(title)?.[1] ?? "").replace(/[?#].*/s, "").split("/");
