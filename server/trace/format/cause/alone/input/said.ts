import { oneLine } from "../../../error-text.ts";
import { messageOf } from "../../detectors/page/page.ts";
import type { SeenElement } from "../../page/page-view.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted, TROUBLE } from "../../words.ts";

const LONGEST = 160;
const MOST = 3;
const BOX = /(?:^|[\s_-])(?:err|error|alert|flash|invalid|danger|warning)(?:$|[\s_-])/i;

/** Trouble that the page tells of in a heading or a box of its own, and did not tell of before the last action. */
export function detectTold(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { page } = run;
  if (!page) return [];
  return troubleOn(run)
    .filter((one) => messageOf(one, page.elements) === null)
    .slice(0, MOST)
    .map((one) => ({
      kind: "page_message",
      title: `The page said ${quoted(one.own)}`,
      detail: null,
      step_id: failed.step?.step_id ?? page.shot.step_id,
      events: failed.step ? [page.shot.seq, failed.step.seq] : [page.shot.seq],
      ts: failed.to,
      is_new: null,
      weight: 0.74,
      about: `text ${oneLine(one.own).slice(0, 200)}`,
    }));
}

/** What tells of trouble on the page, and was not there before the last action. */
export function troubleOn({ page, before }: Pick<RunEvidence, "page" | "before">): SeenElement[] {
  const known = new Set(before?.elements.map(({ own }) => own) ?? []);
  const elements = page?.elements ?? [];
  return elements.filter(
    (one) =>
      !one.isHidden &&
      (isBox(one) || messageOf(one, elements) !== null) &&
      !known.has(one.own) &&
      isTrouble(one.own),
  );
}

const isBox = ({ tag, attributes }: SeenElement) => /^h[1-3]$/.test(tag) || BOX.test(attributes.class ?? "");

const isTrouble = (own: string) => own.length <= LONGEST && TROUBLE.test(own);
