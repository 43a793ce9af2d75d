import { chosenIn, otherLanguage } from "../../page-language.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";
import { isMissing } from "../elements/element.ts";

/** A page that came in another language than in every pass, where the test looks for something by its words. */
export function detectPageLanguage(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const other = otherLanguage(evidence);
  if (other === null || run.page === null || !isMissing(evidence)) return [];
  const chosen = chosenIn(evidence, other.now);
  return [
    {
      kind: "time",
      title: `The page came in the language ${quoted(other.now, 20)}${chosen === null ? "" : `, which ${chosen.words}`}, where it came in ${quoted(other.before, 20)} in the last pass`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [...(chosen === null ? [] : [chosen.seq]), run.page.shot.seq],
      ts: failed.from,
      is_new: true,
      weight: chosen === null ? 0.84 : 0.93,
    },
  ];
}
