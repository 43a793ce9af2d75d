import { oneLine } from "../../error-text.ts";
import type { SeenElement } from "../page-view.ts";
import type { Evidence, Finding } from "../types.ts";
import { quoted } from "../words.ts";
import { isMissing, targetOf } from "./element.ts";

/** What a locator asks for. */
interface Wanted {
  role: string | null;
  /** Accessible name or text. */
  name: string | null;
  testId: string | null;
  id: string | null;
  label: boolean;
}

/** An element that never came: it went by another name, or is not on the page at all. */
export function detectMissing(evidence: Evidence): Finding[] {
  if (!isMissing(evidence)) return [];
  const { failed, run } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null) return [];
  const target = targetOf(evidence);
  const wanted = wantedBy(`${target} ${String(failed.step?.params.selector ?? "")}`);
  const shared = {
    step_id: failed.step?.step_id ?? null,
    events: run.page ? [seq, run.page.shot.seq] : [seq],
    ts: failed.to,
    is_new: evidence.passes.length === 0 ? null : true,
  };
  const closest = run.page && closestTo(wanted, run.page.elements, evidence);
  const missing: Finding = {
    ...shared,
    kind: "element_missing",
    title: `${target} was nowhere on the page`,
    detail: closest ? `The closest element: ${told(closest.element)}.` : null,
    weight: 0.5,
  };
  if (!closest || closest.likeness < 0.5) return [missing];
  return [
    {
      ...shared,
      kind: "element_renamed",
      title: `${target} was not found; the page has ${told(closest.element)} in its place`,
      detail: null,
      weight: 0.6 + 0.22 * closest.likeness,
    },
  ];
}

function wantedBy(locator: string): Wanted {
  const text = (pattern: RegExp) =>
    pattern
      .exec(locator)
      ?.slice(1)
      .find((one) => one !== undefined) ?? null;
  const role = text(/getByRole\(['"](\w+)['"]|internal:role=(\w+)/);
  const named = text(/name: ?(?:['"]([^'"]+)['"]|\/([^/]+)\/)|name="([^"]+)"/);
  const label = text(
    /getBy(?:Label|Placeholder)\((?:['"]([^'"]+)['"]|\/([^/]+)\/)|internal:(?:label|attr=\[placeholder)="?([^"\]]+)"/,
  );
  const words = text(
    /getBy(?:Text|Title|AltText)\((?:['"]([^'"]+)['"]|\/([^/]+)\/)|internal:text="([^"]+)"|(?:has-text|text)\(?=?["']([^"']+)["']|hasText: ?['"]([^'"]+)['"]/,
  );
  return {
    role,
    name: named ?? label ?? words,
    testId: text(/getByTestId\(['"]([^'"]+)['"]|data-test[\w-]*=["']?([^\]"']+)/),
    id: text(/(?:locator\(['"]|^|\s)[\w*]*[#.]([\w-]+)/),
    label: label !== null,
  };
}

/** The element that is most like the wanted one, of those that the page of a pass has not. */
function closestTo(wanted: Wanted, elements: SeenElement[], { passes }: Evidence) {
  const known = new Set(passes.flatMap(({ page }) => page?.elements.map(keyOf) ?? []));
  let best: { element: SeenElement; likeness: number } | null = null;
  for (const element of elements) {
    if (element.isHidden) continue;
    const likeness = likenessOf(wanted, element) - (known.has(keyOf(element)) ? 0.25 : 0);
    if (likeness > (best?.likeness ?? 0.3)) best = { element, likeness };
  }
  return best;
}

const keyOf = ({ tag, role, name, attributes }: SeenElement) =>
  `${tag} ${role} ${name} ${testIdOf(attributes) ?? ""}`;
const testIdOf = (attributes: Record<string, string>) =>
  attributes["data-testid"] ??
  attributes["data-test"] ??
  attributes["data-test-id"] ??
  attributes["data-qa"] ??
  attributes["data-cy"] ??
  null;

const FIELDS = new Set(["textbox", "combobox", "searchbox", "spinbutton", "checkbox", "radio", "slider"]);
const LIKE_ROLES: Record<string, string> = { button: "link", link: "button" };

function likenessOf({ role, name, testId, id, label }: Wanted, element: SeenElement): number {
  if (testId !== null) {
    const own = testIdOf(element.attributes);
    if (own !== null) return similarity(testId, own);
    return 0;
  }
  if (role !== null) {
    const isSame = element.role === role;
    if (!isSame && LIKE_ROLES[role] !== element.role) return 0;
    if (name === null) return isSame ? 0.4 : 0.3;
    return (isSame ? 0.35 : 0.2) + 0.65 * similarity(name, element.name);
  }
  if (label && !FIELDS.has(element.role)) return 0;
  if (name !== null)
    return (label ? 0.35 : 0.1) + (label ? 0.65 : 0.9) * similarity(name, label ? element.name : element.own);
  if (id !== null) {
    const names = [element.attributes.id ?? "", ...(element.attributes.class ?? "").split(/\s+/)];
    return Math.max(0, ...names.filter((one) => one !== "").map((one) => similarity(id, one)));
  }
  return 0;
}

/** 0..1 by the pairs of letters that two names share, and by shared words (Sørensen–Dice). */
export function similarity(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()].map((text) =>
    text.replace(/[^\p{L}\p{N}]+/gu, " ").trim(),
  ) as [string, string];
  if (a === "" || b === "") return 0;
  if (a === b) return 1;
  return Math.max(dice(pairs(a), pairs(b)), 0.95 * dice(a.split(" "), b.split(" ")));
}

const pairs = (text: string) =>
  Array.from({ length: Math.max(1, text.length - 1) }, (_, at) => text.slice(at, at + 2));

function dice(a: string[], b: string[]): number {
  const left = [...b];
  const shared = a.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
  return (2 * shared) / (a.length + b.length);
}

function told({ tag, role, name, attributes }: SeenElement): string {
  const id = testIdOf(attributes);
  const what = role !== "" ? `a ${role}` : `<${tag}>`;
  return `${what}${name ? ` ${quoted(oneLine(name), 80)}` : ""}${id ? ` (test id ${quoted(id, 60)})` : attributes.id && !name ? ` (id ${quoted(attributes.id, 60)})` : ""}`;
}
