import { oneLine } from "../../../error-text.ts";
import { isAsked } from "../../detectors/page/idle.ts";
import { isRead } from "../../exchanges/sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figuresApart } from "../../values/figures.ts";
import { bareOf, quotedStep, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { lastActOf, listLookedAt, placesOn } from "./listed.ts";

/** The next part of a list in the place of what was listed before, where the test wants as many as both together. */
export function detectReplacedPart(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const act = lastActOf(evidence);
  const counts = figuresApart(bareOf(failed.expected ?? ""), bareOf(failed.received ?? ""));
  if (!act || !run.page || !counts) return [];
  const { action, met } = act;
  const now = listLookedAt(evidence, run.page.elements);
  if (now?.length !== counts.got) return [];
  const shown = new Set(now);
  const before = placesOn(met.elements)
    .map((items) => items.map(({ text }) => oneLine(text)))
    .find((items) => items.length === counts.want - counts.got && items.every((item) => !shown.has(item)));
  if (!before) return [];
  const asked = run.facts.exchanges.findLast(
    (one) =>
      one.ts >= action.ts - 5 &&
      one.ts <= failed.to &&
      isRead(one, run) &&
      isAsked(one, run.facts) &&
      !isBeside(one) &&
      run.facts.exchanges.every((other) => other.url !== one.url || other.ts >= action.ts),
  );
  return [
    {
      kind: "page_changed",
      title: `After ${quotedStep(action)} the page lists ${now.length} things${asked ? ` that ${requestOf(asked, run.facts)} brought` : ""} in place of the ${before.length} of before, where the test wants ${counts.want}: they were replaced, and not added to`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, ...(asked ? [asked.seq] : []), run.page.shot.seq],
      ts: action.end,
      is_new: null,
      weight: 0.9,
      about: `acted ${action.seq}`,
    },
  ];
}
