import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, told } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { refusedAfter } from "./not-taken-back.ts";

/** A page that says nothing of a refusal, which came as in every pass, where those show what the test looks for. */
export function detectUnsaidRefusal(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const last = actionBefore(run.facts, failed);
  const refused = last && passes.length > 0 && isMissing(evidence) ? refusedAfter(evidence, last) : undefined;
  if (!last || !refused || !run.page) return [];
  const target = targetOf(evidence);
  const shown = passes.map(({ page }) => foundWithin(target, page?.elements ?? [])[0]);
  if (foundWithin(target, run.page.elements).length > 0 || shown.includes(undefined)) return [];
  if (passes.some((pass) => pass.page!.shot.url !== run.page!.shot.url)) return [];
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `${requestOf(refused, run.facts)} was refused${refused.status! >= 400 ? ` with ${refused.status}` : ""}, as in the last pass, but the page does not show ${withText(shown[0]!)}, as that does then${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: last.step_id,
      events: [refused.seq, run.page.shot.seq, ...(script === null ? [] : [script.seq])],
      ts: failed.to,
      is_new: true,
      // What the answer itself says and the page does not tells more.
      weight: script === null ? 0.7 : 0.86,
      about: `unsaid ${refused.seq}`,
    },
  ];
}

const withText = (element: SeenElement): string =>
  `${told(element)}${element.name === "" && element.text !== "" ? ` ${quoted(element.text, 80)}` : ""}`;
