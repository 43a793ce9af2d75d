import { oneLine } from "../../../error-text.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, partsOf, wantedBy } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

/** Roles whose name is none of what stands in them: only an attribute gives them one (WAI-ARIA, name from author). */
const NAMED_BY_AUTHOR = new Set(
  "article region form list navigation complementary dialog group toolbar tablist menu radiogroup search main grid".split(
    " ",
  ),
);
/** Tags that have such a role only with a name. */
const NAMELESS_TAGS: Record<string, string> = { region: "section", form: "form" };

/** What is looked for within something by a role and a name, where it stands in the only one of that role, which has no name at all. */
export function detectLostName(evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const elements = run.page?.elements ?? [];
  if (!run.page || !(isMissing(evidence) || failed.received === "0")) return [];
  const [part = "", ...within] = partsOf(targetOf(evidence));
  const { role, name } = wantedBy(part);
  if (role === null || name === null || !NAMED_BY_AUTHOR.has(role) || within.length === 0) return [];
  const [one, ...others] = elements.filter(
    (element) => !element.isHidden && (element.role === role || element.tag === NAMELESS_TAGS[role]),
  );
  if (!one || others.length > 0 || isNamed(one)) return [];
  const text = oneLine(bareOf(failed.expected ?? ""));
  const found = foundWithin(within.join(" >> "), insideOf(elements, one));
  // A state is no text.
  const isIt =
    failed.expected === null || STATE.test(text) || found.some((inner) => oneLine(inner.text) === text);
  if (found.length === 0 || !isIt) return [];
  return [
    {
      kind: "element_renamed",
      title: `${part} found nothing: what the test looks for stands in the only ${role} of the page, <${one.tag}>, and that has no accessible name, where it should be ${quoted(name, 60)} (no aria-label, nor another name)`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [failed.step?.seq ?? run.page.shot.seq, run.page.shot.seq],
      ts: failed.to,
      is_new: null,
      weight: 0.84,
      hasLostRole: true,
    },
  ];
}

const STATE = /^(?:visible|enabled|attached|checked|focused|\d+)$/;

const isNamed = ({ attributes }: SeenElement): boolean =>
  Boolean(attributes["aria-label"] || attributes["aria-labelledby"] || attributes.title);
