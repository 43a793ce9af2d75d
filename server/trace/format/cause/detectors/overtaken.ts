import { oneLine } from "../../error-text.ts";
import { isBefore, isNew } from "../compare.ts";
import { jsonOf, leavesOf } from "../json-leaves.ts";
import { exchangeKey } from "../keys.ts";
import { isPolling } from "../polled.ts";
import type { Exchange, RunFacts } from "../run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { aboutUrl, bodyOf, lapse, quoted, requestOf } from "../words.ts";

const MOST = 50;

/** An older question to the same address whose answer came after that to a newer one. */
export function detectOvertaken(evidence: Evidence): Finding[] {
  const { run } = evidence;
  return overtakings(run.facts)
    .filter(([older]) => isBefore(evidence, older.end!))
    .map(([older, newer]) => {
      const shown = shownOf(evidence, older, newer);
      return {
        kind: "out_of_order" as const,
        title: `The answer to ${requestOf(older, run.facts)} came ${lapse(older.end! - newer.end!)} after that to ${requestOf(newer, run.facts)}, which was asked later: ${shown === null ? "the older answer may have overwritten the newer one" : `the page shows ${quoted(shown, 60)}, which only the older answer has`}`,
        detail: `It took ${lapse(older.end! - older.ts)}, the newer one ${lapse(newer.end! - newer.ts)}.`,
        step_id: older.step_id,
        events: [older.seq, newer.seq],
        ts: older.end,
        // Passes may have had that order as well, and known what to do with it.
        is_new:
          shown !== null && evidence.passes.length > 0
            ? true
            : isNew(evidence, (pass) =>
                overtakings(pass.facts).some(
                  ([other]) => exchangeKey(other, pass.facts) === exchangeKey(older, run.facts),
                ),
              ),
        weight: run.facts.steps.some(
          (step) => NAVIGATES.test(step.name) && holds(step, older) && holds(step, newer),
        )
          ? 0.5
          : 0.82,
        about: `order ${aboutUrl(older.url, run.facts)}`,
      };
    });
}

/** A text that the older of two answers alone has and the page shows, as no page of a pass does; null where there is none. */
function shownOf({ run, passes }: Evidence, older: Exchange, newer: Exchange): string | null {
  const textsOf = (one: Exchange) =>
    leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).flatMap(({ value }) =>
      (typeof value === "string" && value.length > 2) || typeof value === "number" ? [String(value)] : [],
    );
  const known = new Set(textsOf(newer));
  const pages = [run.page, run.before ?? null].filter((page) => page !== null && page.shot.ts >= older.end!);
  const shows = (page: RunEvidence["page"], text: string) =>
    page?.elements.some(({ own, isHidden }) => !isHidden && oneLine(own) === text) ?? false;
  return (
    textsOf(older).find(
      (text) =>
        !known.has(text) &&
        pages.some((page) => shows(page, text)) &&
        !passes.some(({ page }) => shows(page, text)),
    ) ?? null
  );
}

/** A page that loads asks for many things at once, and what each answer is for stands in it. */
const NAVIGATES = /^(?:\w+\.)?(?:goto|navigate|reload|goBack|goForward|setContent)$/;
const holds = ({ ts, end }: { ts: number; end: number }, one: Exchange) => one.ts >= ts && one.ts <= end;
const AHEAD_MS = 20;
/** What is asked for sooner after another is not asked in its place, but beside it. */
const ASKED_APART_MS = 30;

/** Pairs of an older and a newer request for the same path with other parameters, answered the other way round. */
function overtakings({ exchanges }: RunFacts): [Exchange, Exchange][] {
  const byPath = Map.groupBy(
    exchanges.filter(
      ({ method, end, status, type, url }) =>
        method === "GET" &&
        end !== null &&
        status !== null &&
        status < 400 &&
        /^(?:xhr|fetch)$/.test(type ?? "") &&
        url.includes("?") &&
        !isPolling({ url }),
    ),
    ({ url }) => url.slice(0, url.indexOf("?")),
  );
  const pairs: [Exchange, Exchange][] = [];
  for (const asked of byPath.values())
    for (let at = 1; at < asked.length && pairs.length < MOST; at++) {
      const older = asked[at - 1]!;
      const isOvertakenBy = (one: Exchange) => one.url !== older.url && older.end! > one.end! + AHEAD_MS;
      const next = asked[at]!;
      const newer =
        asked.slice(at, at + MOST).findLast((one) => isTypedOn(older, one) && isOvertakenBy(one)) ??
        (next.ts - older.ts >= ASKED_APART_MS && isOvertakenBy(next) ? next : undefined);
      if (newer) pairs.push([older, newer]);
    }
  return pairs;
}

/** Whether a question goes on where an older one ended: whoever types asks so, however quickly. */
const isTypedOn = (older: Exchange, { url }: Exchange): boolean =>
  /[^=\d]$/.test(older.url) && url.startsWith(older.url);
