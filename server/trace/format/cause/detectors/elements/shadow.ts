import type { SeenElement } from "../../page/page-view.ts";
import { wantedOn } from "../../page/wanted.ts";
import type { Evidence } from "../../types.ts";

/**
 * Where the wanted element stood in a component's shadow root in the last pass, and that component has none here that can be
 * looked into, as a clause; empty otherwise.
 */
export function shutInShadow(evidence: Evidence): string {
  const before = evidence.passes[0]?.page?.elements ?? [];
  const [wanted] = wantedOn(evidence, before);
  if (!wanted?.isInShadow) return "";
  const host = hostOf(before, before.indexOf(wanted));
  const here = evidence.run.page?.elements ?? [];
  const same = host === null ? [] : here.flatMap((one, at) => (one.tag === host.tag ? [at] : []));
  return same.length === 0 || same.some((at) => hasShadow(here, at))
    ? ""
    : `; in the last pass it stood in the shadow root of <${host!.tag}>, which has none here that is open`;
}

/** The component around an element: the nearest one with a name of its own (HTML, "valid custom element name"). */
function hostOf(elements: readonly SeenElement[], of: number): SeenElement | null {
  let { depth } = elements[of]!;
  for (let at = of - 1; at >= 0; at--) {
    const one = elements[at]!;
    if (one.depth >= depth) continue;
    depth = one.depth;
    if (one.tag.includes("-")) return one;
  }
  return null;
}

function hasShadow(elements: readonly SeenElement[], host: number): boolean {
  const { depth } = elements[host]!;
  for (let at = host + 1; at < elements.length && elements[at]!.depth > depth; at++)
    if (elements[at]!.isInShadow) return true;
  return false;
}
