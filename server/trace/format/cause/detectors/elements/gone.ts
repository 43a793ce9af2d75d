import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { told, wantedOn } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { PageShot, RunFacts, Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { lapse, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

/** An element that stood on this very page before the step looked for it, and was gone by then: a toast, a menu, a row. */
export function detectGone(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const here = run.page?.shot.url;
  if (!isMissing(evidence) || here === undefined) return [];
  // What is still there and cannot be seen was not taken away.
  if (wantedOn(evidence, run.page?.elements ?? []).length > 0) return [];
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  const seen = run.earlier?.findLast(
    ({ shot, elements }) => shot.url === here && wantedOn(evidence, elements).length > 0,
  );
  if (!seen || seq === null) return [];
  const element = wantedOn(evidence, seen.elements)[0]!;
  const opened = openedSince(run.facts, seen.shot, failed.from);
  const usual = passes[0] && wantedOn(evidence, passes[0].page?.elements ?? []).length > 0;
  const script = opened === null ? null : changedScript(evidence);
  if (opened !== null)
    return [
      {
        kind: "page_changed",
        title: `${quotedStep(opened)} lost ${told(element)}: the page had it before, and the page that came then has it no longer${usual ? ", as it has in the last pass" : ""}${script === null ? "" : `; ${script.words}`}`,
        detail: `Looked for: ${targetOf(evidence)}`,
        step_id: opened.step_id,
        events: [opened.seq, seen.shot.seq, ...(script === null ? [] : [script.seq])],
        ts: failed.to,
        is_new: passes.length === 0 ? null : true,
        weight: usual ? 0.78 : 0.6,
        about: `lost ${opened.title}`,
      },
    ];
  const left = leftSince(run.facts, seen.shot, here, failed.from);
  if (left !== null)
    return [
      {
        kind: "page_changed",
        title: `${quotedStep(left)} led away from ${told(element)}: the page had it before, and has it no longer since it was come back to${usual ? ", as it has in the last pass" : ""}`,
        detail: `Looked for: ${targetOf(evidence)}`,
        step_id: left.step_id,
        events: [left.seq, seen.shot.seq],
        ts: failed.to,
        is_new: passes.length === 0 ? null : true,
        weight: usual ? 0.74 : 0.6,
        about: `lost ${left.title}`,
      },
    ];
  if (countsOn(element, run.page?.elements ?? [])) return [];
  return [
    {
      kind: "element_detached",
      title: `The page took ${told(element)} away before the step came to it: it was there ${lapse(failed.from - seen.shot.ts)} before, and no longer when ${quotedStep(failed)} began${usual ? "; in the last pass it was still there" : ""}`,
      detail: `Looked for: ${targetOf(evidence)}`,
      step_id: failed.step?.step_id ?? null,
      events: [seq, seen.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.74,
    },
  ];
}

/** Whether the element still stands there and only says another number. */
function countsOn({ tag, own }: SeenElement, now: readonly SeenElement[]): boolean {
  const words = own.replace(/\d+/g, "0");
  return (
    /\d/.test(own) &&
    /\p{L}/u.test(own) &&
    now.some((one) => !one.isHidden && one.tag === tag && one.own.replace(/\d+/g, "0") === words)
  );
}

/** The step by which the test opened the page anew after that picture; null where it is the same document. */
export const openedSince = ({ steps }: RunFacts, shot: PageShot, by: number): Step | null =>
  steps.findLast(({ name, ts, end }) => OPENS.test(name) && end > shot.ts && ts <= by) ?? null;

/** The action by which the page was left for another after that picture, though it is the same again; null where it was not left. */
function leftSince({ pages, steps }: RunFacts, shot: PageShot, here: string, by: number): Step | null {
  const away = pages.find(
    ({ ts, url, page }) => ts > shot.ts && ts <= by && page === shot.page && url !== here,
  );
  return away
    ? (steps.findLast(
        ({ kind, ts }) => kind === "agent.action" && ts >= shot.ts - AT_ONCE_MS && ts <= away.ts,
      ) ?? null)
    : null;
}

const AT_ONCE_MS = 50;
const OPENS = /(?:^|\.)(?:goto|reload|goBack|goForward)$/;
