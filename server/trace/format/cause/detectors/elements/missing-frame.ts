import { targetOf } from "../../page/target.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

/** `iframe[title=Carrier]`, as the locator of a frame names it. */
const FRAME =
  /(?:locator|frameLocator)\(['"]i?frame\[(title|name|id|src)[*^$]?=['"\\]*([^\]'"\\]+)['"\\]*\]['"]\)/;
const MOST = 5;

/** A frame that a locator goes through and that the page does not have: then nothing in it is found, whatever it is. */
export function detectMissingFrame(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null || run.page === null || !isMissing(evidence)) return [];
  const [, attribute, wanted] = FRAME.exec(targetOf(evidence)) ?? [];
  if (attribute === undefined || wanted === undefined) return [];
  const frames = run.page.elements.filter(({ tag }) => tag === "iframe" || tag === "frame");
  if (frames.some(({ attributes }) => attributes[attribute]?.includes(wanted))) return [];
  const names = frames.flatMap(({ attributes }) => attributes[attribute] ?? []).slice(0, MOST);
  const instead =
    frames.length === 0
      ? "; it has no frame at all"
      : names.length === 0
        ? ""
        : `; its frames have the ${attribute} ${names.map((name) => quoted(name, 60)).join(", ")}`;
  return [
    {
      kind: "element_missing",
      title: `The page has no frame with the ${attribute} ${quoted(wanted, 60)}${instead}`,
      detail: `Looked for: ${targetOf(evidence)}`,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.86,
    },
  ];
}
