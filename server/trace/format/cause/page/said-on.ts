import { oneLine } from "../../error-text.ts";
import { oncePer } from "../once.ts";
import type { SeenPage } from "../types.ts";

export type Thing = Record<string, unknown>;

/** Shorter texts stand on a page for much else. */
const SHORTEST = 3;

/** The things whose value of a field is a text of its own on a page. */
export function saidOn(page: SeenPage, things: readonly Thing[], field: string): Thing[] {
  const texts = textsOn(page, "own");
  return things.filter(({ [field]: value }) => {
    const text = typeof value === "string" ? oneLine(value) : "";
    return text.length >= SHORTEST && texts.has(text);
  });
}

/** Whether each thing goes by another value of a field. */
export const isByOne = (things: readonly Thing[], name: string): boolean =>
  new Set(things.map((thing) => thing[name])).size === things.length;

const textsOn = oncePer(
  ({ elements }: SeenPage, _: "own"): ReadonlySet<string> =>
    new Set(elements.flatMap(({ own, isHidden }) => (isHidden ? [] : [oneLine(own)]))),
);
