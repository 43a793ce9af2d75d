import { oncePer } from "../../once.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import {
  elementsOf,
  foundWithin,
  isNamelessByRole,
  isOfKind,
  lostScope,
  partsOf,
  told,
  wantedBy,
} from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

interface Renamed {
  role: string;
  /** The name that the locator asks for. */
  name: string;
  /** What goes by another name. */
  other: SeenElement;
  /** What stands in that and is looked for. */
  sought: SeenElement;
}

/**
 * What a locator looks for its element within goes by another name: nothing of that role has the wanted one, and one alone has
 * in it what else the locator asks for.
 */
export const renamedScope = oncePer((evidence: Evidence, _: "scope"): Renamed | null => {
  const { run, passes, failed } = evidence;
  if (run.page === null || (!isMissing(evidence) && failed.received !== "0")) return null;
  const elements = run.page.elements.filter(({ isHidden }) => !isHidden);
  const target = targetOf(evidence);
  const scope = lostScope(target, elements);
  const wanted = wantedBy(scope ?? "");
  const { role, name } = wanted;
  if (scope === null || role === null || name === null || wanted.isWithin) return null;
  const parts = partsOf(target);
  const rest = parts.slice(parts.indexOf(scope) + 1).join(".");
  const known = new Set(
    passes.flatMap(
      ({ page }) => page?.elements.flatMap((one) => (one.role === role ? [one.name] : [])) ?? [],
    ),
  );
  // What a pass has by its name is that, and not what is looked for.
  const isUsual = passes.every(({ page }) => elementsOf(scope, page?.elements ?? []).length > 0);
  const others = elements.filter(
    (one) => isOfKind(wanted, one) && one.name !== "" && !isNamelessByRole(one) && !known.has(one.name),
  );
  const [first, ...more] = others.flatMap((other) => {
    const [sought] = foundWithin(rest, insideOf(elements, other));
    return sought ? [{ role, name, other, sought }] : [];
  });
  return isUsual && first && more.length === 0 ? first : null;
});

/** The part of the page that a step looks in goes by another name than the one that the locator asks for. */
export function detectRenamedScope(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  const renamed = renamedScope(evidence, "scope");
  if (seq === null || !run.page || !renamed) return [];
  const { role, name, other, sought } = renamed;
  return [
    {
      kind: "element_renamed",
      title: `There is no ${role} ${quoted(name, 60)}, in which the step looks for ${told(sought)}: the page has ${told(other)} in its place, with that in it`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.94,
      about: `scope ${seq}`,
    },
  ];
}
