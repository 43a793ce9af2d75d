import { chosenIn, languageOf, otherLanguage } from "../../page/page-language.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { openedSince } from "../elements/gone.ts";

/** A page that came in another language than in every pass, where the test looks for something by its words. */
export function detectPageLanguage(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const other = otherLanguage(evidence);
  if (other === null || run.page === null || !isMissing(evidence)) return [];
  const chosen = chosenIn(evidence, other.now);
  // What a page was put into before is what its next document does not come in.
  const had = run.earlier?.findLast((page) => languageOf(page) === other.before);
  const opened = chosen === null && had ? openedSince(run.facts, had.shot, failed.from) : null;
  const script = opened && changedScript(evidence);
  if (had && opened)
    return [
      {
        kind: "page_changed",
        title: `${quotedStep(opened)} lost the language ${quoted(other.before, 20)}: the page had it before, and the page that came then is in ${quoted(other.now, 20)}, where it was kept in the last pass${script ? `; ${script.words}` : ""}`,
        detail: null,
        step_id: opened.step_id,
        events: [opened.seq, had.shot.seq, ...(script ? [script.seq] : [])],
        ts: failed.from,
        is_new: true,
        weight: 0.88,
        about: `lost ${opened.title}`,
      },
    ];
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
