import type { FailurePlace, FailureSort } from "../../../store/records/failures.ts";

/** Place in a list of failures, with the period of its first page, so that the groups keep their counts and order. */
export interface FailureCursor {
  sort: FailureSort;
  from: number;
  to: number;
  after: FailurePlace;
}

const FORM = /^(last_seen|count) (\d{1,15}) (\d{1,15}) (\d{1,15}) (\d{1,16})$/;

/** Opaque text for a place. */
export function encodeFailureCursor({ sort, from, to, after }: FailureCursor): string {
  return Buffer.from(`${sort} ${from} ${to} ${after.count} ${after.lastOrd}`).toString("base64url");
}

/** The place that a cursor stands for; null when this list did not make it. */
export function decodeFailureCursor(cursor: string): FailureCursor | null {
  const match = FORM.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  if (!match) return null;
  const [from, to, count, lastOrd] = match.slice(2).map(Number) as [number, number, number, number];
  const place = { sort: match[1] as FailureSort, from, to, after: { count, lastOrd } };
  return encodeFailureCursor(place) === cursor ? place : null;
}
