import { isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { isByOne, saidOn, type Thing } from "../../page/said-on.ts";
import { ofSameTurn } from "../../run/keys.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isForeign, quoted, requestOf, withoutQuery } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

const MOST = 20;
const FEWEST = 2;
const MOST_NAMED = 2;

/** A page that shows the things of the later of two parts of a list alone, where that of every pass shows those of both, whatever these are. */
export function detectLostPart(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { page } = run;
  if (!page || passes.length === 0) return [];
  const reads = answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, run) && !isForeign(one.url, run.facts) && thingsOf(one, run.bodies).length >= FEWEST,
  );
  const more = reads.at(-1);
  const first = more && reads.findLast((one) => one.url !== more.url && isOfSameList(one.url, more.url));
  if (!first) return [];
  const [before, now] = [first, more].map((one) => thingsOf(one, run.bodies)) as [Thing[], Thing[]];
  const field = Object.keys(now[0]!).find(
    (name) => isByOne([...before, ...now], name) && isAll(now, name, run),
  );
  if (field === undefined || saidOn(page, before, field).length > 0) return [];
  const showsBoth = (pass: RunEvidence): boolean =>
    [first, more].every((one) => {
      const same = ofSameTurn(one, run.facts, pass.facts);
      const theirs = same === undefined ? [] : thingsOf(same, pass.bodies);
      return theirs.length >= FEWEST && isAll(theirs, field, pass);
    });
  if (!passes.every(showsBoth)) return [];
  const names = before.slice(0, MOST_NAMED).map((thing) => quoted(String(thing[field]), 60));
  const others = before.length - names.length;
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `The page shows only the ${now.length} that ${requestOf(more, run.facts)} brought, where the last pass shows those of the part before it as well: they replaced the list, of which ${names.join(", ")}${others > 0 ? ` and ${others} more` : ""} are gone, instead of being added to it${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [first.seq, more.seq, page.shot.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.9,
      about: `replaced ${more.seq}`,
    },
  ];
}

const isOfSameList = (one: string, other: string): boolean => withoutQuery(one) === withoutQuery(other);

/** Whether the page of a run shows all of some things by a field. */
const isAll = (things: readonly Thing[], name: string, { page }: RunEvidence): boolean =>
  page !== null && saidOn(page, things, name).length === things.length;
