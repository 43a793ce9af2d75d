import { askedFor, isRead } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, isForeign, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const FROM = /^(?:offset|skip|start|from|first|startindex|start_index)$/i;
/** By what a page of a list is asked to have so many things. */
export const SIZE = /^(?:limit|size|count|take|max|rows|page_?size|per_?page|maxresults|max_results)$/i;

/** A page of a list that begins within the page before it: what it brings is there already, and what follows that is left out. */
export function detectOverlappingPage(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const reads = answersBefore(evidence, MOST, (one) => isRead(one, run) && !isForeign(one.url, facts));
  const pages = reads.flatMap((one) => pageOf(one, run) ?? []);
  return pages.toReversed().flatMap((page, at): Finding[] => {
    const before = pages.slice(0, pages.length - 1 - at).findLast(({ list }) => list === page.list);
    const ahead = before ? page.from - before.from : 0;
    if (!before || ahead <= 0 || ahead >= before.size) return [];
    return [
      {
        kind: "page_changed",
        title: `${requestOf(page.one, facts)} asked for what comes after ${page.from}, though the page before it had begun at ${before.from} with ${quoted(page.sizeName, 40)} ${before.size}: ${before.size - ahead} of these were there already`,
        detail: null,
        step_id: page.one.step_id,
        events: [page.one.seq, before.one.seq],
        ts: page.one.end ?? page.one.ts,
        is_new: null,
        weight: 0.86,
        about: aboutUrl(page.one.url, facts, page.one.operation),
      },
    ];
  });
}

interface Page {
  one: Exchange;
  /** What it is a page of. */
  list: string;
  from: number;
  size: number;
  sizeName: string;
}

function pageOf(one: Exchange, run: RunEvidence): Page | null {
  const query = askedFor(one, run);
  const from = query.find(([name, value]) => FROM.test(name) && /^\d{1,9}$/.test(value));
  const size = query.find(([name, value]) => SIZE.test(name) && /^[1-9]\d{0,5}$/.test(value));
  if (!from || !size) return null;
  const rest = query.filter((entry) => entry !== from).map(([name, value]) => `${name}=${value}`);
  const list = `${one.url.replace(/[?#].*/s, "")} ${one.operation} ${rest.sort().join("&")}`;
  return { one, list, from: Number(from[1]), size: Number(size[1]), sizeName: size[0] };
}
