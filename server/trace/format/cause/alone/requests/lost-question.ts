import { askedFor, isAskedAlike, isRead, SECRET } from "../../exchanges/sent.ts";
import { nameOf } from "../../page/written.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, isForeign, isTracker, quoted, requestOf } from "../../words.ts";

const MOST = 100;
const PAGES = /^(?:page|p|offset|start|skip|from|cursor|after)$/i;
const FIELDS = /^(?:input|select|textarea)$/;

/** A question that the last action asked without a value which the same question had had before, and which still stands in a field of the page. */
export function detectLostQuestion(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts, page } = run;
  const action = actionBefore(facts, failed);
  if (!action || !page) return [];
  const asked = lastOf(
    facts.exchanges,
    MOST,
    (one) =>
      isRead(one, run) &&
      /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
      one.ts <= failed.to &&
      askedFor(one, run).length > 0 &&
      !isForeign(one.url, facts) &&
      !isTracker(one.url),
  );
  for (const one of asked.toReversed()) {
    if (one.ts < action.ts - 5) break;
    const before = asked.findLast((other) => other.ts < one.ts && isAskedAlike(other, one));
    const lost = before && lostOf(before, one, run);
    if (!lost || saidBy(one, run) === "") continue;
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, facts)} was asked with ${quoted(saidBy(one, run), 60)} and without ${quoted(lost.said, 60)}, which the question before it had and which still stands in ${quoted(lost.field, 60)}: that filter was dropped`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq, before.seq],
        ts: one.end ?? one.ts,
        is_new: null,
        weight: 0.88,
        about: aboutUrl(one.url, facts, one.operation),
      },
    ];
  }
  return [];
}

/** The value that a question lost, and the field of the page that has it. */
function lostOf(before: Exchange, one: Exchange, run: RunEvidence): { said: string; field: string } | null {
  const names = new Set(askedFor(one, run).map(([name]) => name));
  for (const [name, value] of askedFor(before, run)) {
    if (names.has(name) || PAGES.test(name) || SECRET.test(name) || value.length < 2) continue;
    const field = run.page?.elements.find(
      ({ tag, attributes, isHidden }) =>
        !isHidden && FIELDS.test(tag) && attributes.type !== "hidden" && attributes.value === value,
    );
    if (field) return { said: `${name}=${value}`, field: nameOf(field) };
  }
  return null;
}

const saidBy = (one: Exchange, run: RunEvidence): string =>
  askedFor(one, run)
    .filter(([name]) => !name.startsWith("_") && !SECRET.test(name))
    .map((entry) => entry.join("="))
    .join("&");
