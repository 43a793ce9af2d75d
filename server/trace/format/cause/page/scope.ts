import type { Evidence } from "../types.ts";
import type { SeenElement } from "./page-view.ts";
import { targetOf } from "./target.ts";
import { foundWithin, partsOf, wantedOn } from "./wanted.ts";
import { insideOf } from "./within.ts";

/** What stands within all that a locator looks for its element in; null where it looks on the whole page, or that is not there. */
export function scopeOf(target: string, elements: readonly SeenElement[]): Set<SeenElement> | null {
  const around = partsOf(target).slice(0, -1);
  const scopes = around.length === 0 ? [] : foundWithin(around.join(" >> "), elements);
  const text = /hasText: ?['"]([^'"]+)['"]/.exec(around.at(-1) ?? "")?.[1];
  const fitting = scopes.filter((one) => text === undefined || one.text.includes(text));
  return fitting.length === 0 ? null : new Set(fitting.flatMap((one) => insideOf(elements, one)));
}

/** What can stand for the step's element by its very name alone, since it does not stand where the step looks. */
export function isElsewhere(
  evidence: Evidence,
  elements: readonly SeenElement[],
): (one: SeenElement) => boolean {
  const scope = scopeOf(targetOf(evidence), elements);
  const named = new Set(scope === null ? [] : wantedOn(evidence, [...elements]));
  return (one) => scope !== null && !scope.has(one) && !named.has(one);
}
