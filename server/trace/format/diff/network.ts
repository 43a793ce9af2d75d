import { cut } from "../error-text.ts";
import { isTooDeep } from "../event.ts";
import type { Comparison } from "./comparison.ts";
import type { ExchangeFact } from "./facts.ts";
import { folded, momentOf, pairByKeys, placeOf, rowOf } from "./place.ts";
import { changeOf, turned } from "./steps.ts";
import type { Difference, DiffSide, PlacedItem } from "./types.ts";
import { differenceAt, differencesOf } from "./values.ts";

/** Reads what events only refer to. */
export interface BodyReader {
  /** The text of a body; null when it is no text, too long or not there. */
  body(side: "a" | "b", reference: string): Promise<string | null>;
}

const RANK = 1;
const MAX_SHOWN = 500;
/** Pairs whose bodies are compared: the first ones that have different bodies. */
const MOST_BODIES = 200;

/**
 * An item per request: those of the same address are paired within their step first, then in order. Requests without a
 * partner are one item per address.
 */
export async function compareNetwork(comparison: Comparison, read: BodyReader): Promise<PlacedItem[]> {
  const { a, b } = comparison;
  const address = ({ method, url }: ExchangeFact, side: "a" | "b") =>
    `${method} ${comparison[side].normaliser.url(url)}`;
  const { pairs, onlyA, onlyB } = pairByKeys(a.exchanges, b.exchanges, [
    (fact, side) => `${address(fact, side)} ${rowOf(comparison, side, fact)}`,
    address,
    (fact, side) => address(fact, side).replace(/[?#].*$/s, ""),
  ]);

  const items: PlacedItem[] = [];
  const bodies = { left: MOST_BODIES };
  for (const [one, other] of pairs) {
    const found = differencesBetween(comparison, one, other);
    if (found.length === 0) found.push(...(await bodyDifferences(comparison, read, bodies, one, other)));
    items.push({
      key: cut(address(other, "b"), MAX_SHOWN),
      change: changeOf(one, other, found),
      a: sideOf(one),
      b: sideOf(other),
      ...(found.length > 0 && { detail: { differences: found, ...turned(one.isFailed, other.isFailed) } }),
      place: placeOf(comparison, RANK, one, other),
    });
  }
  for (const side of ["a", "b"] as const)
    for (const { key, first, times } of folded(side === "a" ? onlyA : onlyB, (fact) => address(fact, side)))
      items.push({
        key: cut(key, MAX_SHOWN),
        change: side === "a" ? "removed" : "added",
        [side]: sideOf(first),
        ...(times > 1 && { detail: { times: { a: 0, b: 0, [side]: times } } }),
        place: placeOf(comparison, RANK, side === "a" ? first : null, side === "b" ? first : null),
      });
  return items;
}

function differencesBetween({ by }: Comparison, one: ExchangeFact, other: ExchangeFact): Difference[] {
  const found = differenceAt("/status", one.status, other.status);
  if (by.a.text(one.error ?? "") !== by.b.text(other.error ?? ""))
    found.push(...differenceAt("/error", one.error, other.error));
  if (by.a.url(one.url) !== by.b.url(other.url)) found.push(...differenceAt("/url", one.url, other.url));
  return found;
}

/** Of bodies that are JSON on both sides; other content changes with every deployment. */
async function bodyDifferences(
  { by }: Comparison,
  read: BodyReader,
  bodies: { left: number },
  one: ExchangeFact,
  other: ExchangeFact,
): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const [name, left, right] of [
    ["/request_body", one.requestBody, other.requestBody],
    ["/response_body", one.responseBody, other.responseBody],
  ] as const) {
    if (left === null || right === null || left === right || bodies.left === 0) continue;
    bodies.left -= 1;
    const [mine, yours] = [await json(read, "a", left), await json(read, "b", right)];
    if (mine && yours) found.push(...differencesOf(name, mine.value, yours.value, by));
  }
  return found;
}

async function json(read: BodyReader, side: "a" | "b", body: string): Promise<{ value: unknown } | null> {
  const text = body.startsWith("sha256:") ? await read.body(side, body) : body;
  if (text === null || !/^\s*[[{]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(text, value) ? null : { value };
  } catch {
    return null;
  }
}

function sideOf(exchange: ExchangeFact): DiffSide {
  const { method, url, status, error, resource_type, duration_ms } = exchange;
  return {
    ...momentOf(exchange),
    method,
    url: cut(url, MAX_SHOWN),
    status,
    duration_ms,
    resource_type,
    ...(error !== null && { error: cut(error, MAX_SHOWN) }),
  };
}
