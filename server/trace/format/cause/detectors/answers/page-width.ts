import { cut } from "../../../error-text.ts";
import { isNew } from "../../compare.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { withoutFragment } from "../../run/select.ts";
import { windowOf } from "../../style/media.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, bodyOf, requestOf } from "../../words.ts";

/** A page that a phone's browser laid out wider than its window, for want of the tag that says how wide it is meant to be. */
export function detectPageWidth(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts, page, window: laidOut = null } = run;
  const given = windowOf(run.environment.viewport);
  if (!page || !laidOut || !given || laidOut.width <= given.width) return [];
  if (facts.steps.some(({ name }) => RESIZES.test(name))) return [];
  const shown = new Set(facts.pages.map(({ url }) => withoutFragment(url)));
  const served = facts.exchanges.findLast(
    ({ type, url, ts }) => type === "document" && ts <= page.shot.ts && shown.has(withoutFragment(url)),
  );
  const tag = served && viewportTag(served, run);
  const width = tag === undefined ? null : widthBy(tag);
  if (!served || tag === undefined || width === null || Math.abs(width - laidOut.width) > ROUNDED) return [];
  const key = exchangeKey(served, facts);
  const isSo = (pass: RunEvidence) =>
    exchangesOf(pass.facts, key).some((other) => viewportTag(other, pass) === tag);
  const isFresh = isNew(evidence, isSo);
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(served, facts)} came ${tag === null ? 'without <meta name="viewport">' : `with ${cut(tag, 120)}`}${isFresh === true ? `, which it ${tag === null ? "has" : "has not"} in the last pass` : ""}: in a window of ${given.width} × ${given.height} pixels the page was laid out ${laidOut.width} pixels wide, so that what it shows on a phone may be hidden`,
      detail: null,
      step_id: served.step_id,
      events: [served.seq, page.shot.seq, ...(failed.step ? [failed.step.seq] : [])],
      ts: failed.to,
      is_new: isFresh,
      weight: 0.92,
      about: `width ${aboutUrl(served.url, facts)}`,
    },
  ];
}

/** Screens of fractions of a pixel. */
const ROUNDED = 2;
const RESIZES = /setViewportSize$/;
/** How wide phones take a page to be that says nothing of it. */
const UNSAID = 980;
const TAG = /<meta\b[^<>]{0,500}\bname\s*=\s*["']?viewport\b[^<>]{0,500}>/i;

/** The tag of a page, null without one, undefined where its text is not known. */
function viewportTag(one: Exchange, { bodies }: RunEvidence): string | null | undefined {
  const html = bodyOf(one, bodies);
  return html === undefined ? undefined : (TAG.exec(html)?.[0] ?? null);
}

/** The width that a page is laid out in whatever the window's is; null where it goes by the window. */
function widthBy(tag: string | null): number | null {
  if (tag === null) return UNSAID;
  const width = /\bwidth\s*=\s*(\d{2,5})\b/i.exec(tag)?.[1];
  return width === undefined ? null : Number(width);
}
