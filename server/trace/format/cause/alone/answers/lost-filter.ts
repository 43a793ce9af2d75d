import { queryOf } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, addressOf, isForeign, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const PAGES = /^(?:page|p|offset|start|skip|from|cursor|after)$/i;
/** What only counts where visitors come from. */
const COUNTED = /^(?:utm_\w+|gclid|fbclid|ref)$/;

/** The next page of a list that was opened without what the page before it had been asked for. */
export function detectLostFilter(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const pages = lastOf(
    facts.exchanges,
    MOST,
    ({ type, ts, url }) => type === "document" && ts <= failed.to && !isForeign(url, facts),
  );
  const [before, next] = [pages.at(-2), pages.at(-1)];
  if (!before || !next || pathOf(before.url) !== pathOf(next.url)) return [];
  const asked = asking(next);
  const lost = [...asking(before)].filter(
    ([name, value]) => !PAGES.test(name) && value !== "" && !asked.has(name),
  );
  const isFollowed = [...asked.keys()].some((name) => PAGES.test(name));
  // Who picks another filter is led to its first page.
  const action = actionBefore(facts, failed);
  if (lost.length === 0 || !isFollowed || !action || !/(?:^|\.)(?:click|tap|press)$/.test(action.name))
    return [];
  const names = lost.map(([name, value]) => `${name}=${value}`).join("&");
  return [
    {
      kind: "page_changed",
      title: `${requestOf(next, facts)} was opened from ${addressOf(before.url, facts)} without ${quoted(names, 80)}: the list that follows is another one`,
      detail: null,
      step_id: next.step_id,
      events: [next.seq, before.seq],
      ts: next.end ?? next.ts,
      is_new: null,
      weight: 0.86,
      about: aboutUrl(next.url, facts),
    },
  ];
}

const asking = (one: Exchange): Map<string, string> =>
  new Map(queryOf(one).filter(([name]) => !COUNTED.test(name)));
