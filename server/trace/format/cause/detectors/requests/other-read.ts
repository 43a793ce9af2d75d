import { queryOf, SECRET } from "../../exchanges/sent.ts";
import { oncePer } from "../../once.ts";
import { textsOf } from "../../page/page-texts.ts";
import { BESIDE } from "../../plausibility/words.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { isToken } from "../../values/made-values.ts";
import { bareOf, bodyOf, isForeign, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 20;
/** Values in a query are words; what is longer was made for one run. */
const LONGEST = 40;
/** How far a list is read depends on how long a page stands. */
const PAGING =
  /^(?:page|p|offset|cursor|limit|size|per_?page|skip|start|from|to|after|before|since|until|_)$/i;

/** What the page asked for otherwise than in every pass before the failed step, where it then shows the answer to that. */
export function detectOtherReads(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  // One pass does not tell what varies.
  if (passes.length < 2 || !run.page) return [];
  const reads = answersBefore(
    evidence,
    MOST,
    (one) =>
      one.method === "GET" &&
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      one.ts < failed.from &&
      !isPolling(one) &&
      !isForeign(one.url, run.facts) &&
      !BESIDE.test(one.url),
  );
  for (const one of reads.toReversed()) {
    const words = askedOtherwise(evidence, one);
    if (words !== null && isShownHereAlone(evidence, one))
      return [
        {
          kind: "page_changed",
          title: `${words}; the page shows the answer to it`,
          detail: null,
          step_id: one.step_id,
          events: [one.requestSeq ?? one.seq, one.seq],
          ts: one.ts,
          is_new: true,
          weight: 0.84,
          about: `body ${one.seq}`,
          isOtherQuestion: true,
        },
      ];
  }
  return [];
}

/** What of a request's query no pass sends, as a sentence; null where passes send the like. */
function askedOtherwise({ run, passes }: Evidence, one: Exchange): string | null {
  const { normaliser } = run.facts;
  const telling = queryOf(one).filter(
    ([name, value]) =>
      !PAGING.test(name) &&
      !SECRET.test(name) &&
      /\p{L}/u.test(value) &&
      value.length <= LONGEST &&
      !isToken(value) &&
      normaliser.text(value) === value,
  );
  const mine = asksOf(run, one);
  const theirs = passes.map((pass) => asksOf(pass, one));
  const address = requestOf({ ...one, url: one.url.replace(/[?#].*/s, "") }, run.facts);
  for (const [name, value] of telling) {
    const before = new Set(theirs.flat().map((query) => query.get(name) ?? null));
    // What the run asked for as passes do is what it shows, or was asked for first of several.
    if (before.size > 1 || before.has(value) || mine.some((query) => before.has(query.get(name) ?? null)))
      continue;
    const [usual] = before;
    if (usual === undefined) return `${requestOf(one, run.facts)} was sent, which no pass asks for`;
    if (theirs.some((asks) => asks.length === 0)) continue;
    return `${address} was sent with the parameter ${name} ${quoted(value, 60)}${usual === null ? ", which no pass sends" : ` where the last pass sent ${quoted(usual, 60)}`}`;
  }
  return null;
}

/** The queries with which a run asked one address. */
const asksOf = (run: RunEvidence, { method, url }: Exchange): Map<string, string>[] =>
  asksBy(run, method).get(run.facts.normaliser.url(pathOf(url))) ?? [];

const asksBy = oncePer(({ facts }: RunEvidence, method: string) => {
  const byPath = new Map<string, Map<string, string>[]>();
  for (const one of facts.exchanges) {
    if (one.method !== method) continue;
    const path = facts.normaliser.url(pathOf(one.url));
    const asks = byPath.get(path) ?? [];
    byPath.set(path, asks);
    asks.push(new Map(queryOf(one)));
  }
  return byPath;
});

/** Whether a text of an answer stands on the page and on that of no pass, and what the test looks for is not in it. */
function isShownHereAlone({ run, passes, failed }: Evidence, one: Exchange): boolean {
  const body = bodyOf(one, run.bodies);
  const wanted = bareOf(failed.expected ?? "");
  if (body === undefined || (wanted.length > 2 && body.includes(wanted))) return false;
  const shown = textsOn(run);
  const others = passes.map(textsOn);
  return textsIn(body).some((text) => shown.has(text) && !others.some((theirs) => theirs.has(text)));
}

function textsIn(body: string): string[] {
  const value = jsonOf(body);
  const texts = value === undefined ? textsOf(body) : leavesOf(value).map((leaf) => String(leaf.value));
  return texts.filter((text) => /\p{L}{3}/u.test(text));
}

const textsOn = ({ page }: RunEvidence): Set<string> =>
  new Set((page?.elements ?? []).flatMap(({ own, text, isHidden }) => (isHidden ? [] : [own, text])));
