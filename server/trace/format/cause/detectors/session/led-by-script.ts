import type { Exchange, PageShot } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { isForeign, isTracker, pathOf, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

const MOST_ANSWERS = 200;
/** What draws a page and decides nothing. */
const IS_DRAWN = /^(?:image|font|media|stylesheet)$/;

/**
 * That a page was led away by its own script, as a clause: the server had given the very page that every pass is at, no other page was
 * asked for since, and nothing was refused. Empty where that is not so.
 * @param usual the address that the passes are at
 */
export function ledByScript(evidence: Evidence, here: PageShot, usual: string): string {
  const { facts } = evidence.run;
  const before = lastOf(facts.exchanges, MOST_ANSWERS, ({ ts }) => ts <= here.ts);
  const given = before.findLast(({ type, page }) => type === "document" && page === here.page);
  const isUsualPage = given && pathOf(given.url) === pathOf(usual) && pathOf(given.url) !== pathOf(here.url);
  if (!isUsualPage || given.status === null || given.status >= 300) return "";
  if (before.some((one) => one.ts >= given.ts && !isForeign(one.url, facts) && isRefusal(one))) return "";
  const script = changedScript(evidence);
  return `: ${requestOf(given, facts)} was answered with ${given.status} and nothing was refused, so that the page's own script led there${script === null ? "" : `; ${script.words}`}`;
}

/** What was broken off when a page was left refuses nothing. */
const isRefusal = ({ status, error, type, url }: Exchange): boolean =>
  !IS_DRAWN.test(type ?? "") &&
  !isTracker(url) &&
  (status === null ? error !== null && !/ABORTED/i.test(error) : status >= 400);
