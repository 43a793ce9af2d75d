import type { RunFacts, Step } from "../../run/run-facts.ts";
import { GESTURES_AND_OPENINGS } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quotedStep } from "../../words.ts";

const GOES_BACK = /(?:^|\.)goBack$/;

/** A way back that led past the page it leads to in every pass, though the browser had been there: its entry in the history was replaced. */
export function detectWentBack({ run, passes, failed }: Evidence): Finding[] {
  const { facts, page } = run;
  const step = facts.steps.findLast(
    ({ kind, name, end }) =>
      kind === "agent.action" &&
      end <= failed.from + 5 &&
      (GOES_BACK.test(name) || GESTURES_AND_OPENINGS.test(name)),
  );
  if (!step || !GOES_BACK.test(step.name) || page === null) return [];
  const visits = visitsBefore(facts, step);
  const landed = placeOf(page.shot.url);
  const past = visits.at(-2);
  const isAmong = visits.slice(0, -2).includes(landed);
  if (past === undefined || landed === past || visits.at(-1) === landed) return [];
  if (passes.length === 0 && (!isAmong || visits.slice(-2).includes(landed))) return [];
  const theirs = passes.flatMap((pass) =>
    pass.page ? [{ place: placeOf(pass.page.shot.url), facts: pass.facts }] : [],
  );
  const leadsThere = theirs.every(
    (other) => other.place === past || isAlike(past, facts, other.place, other.facts, landed),
  );
  if (theirs.length < passes.length || !leadsThere) return [];
  const usual = passes.length === 0 ? "" : `, where it leads to ${past} in the last pass`;
  return [
    {
      kind: "redirected",
      title: `${quotedStep(step)} led to ${landed}${usual}: the page had been at ${past} in between, so its entry in the history was replaced`,
      detail: null,
      step_id: step.step_id,
      events: [step.seq, page.shot.seq],
      ts: step.end,
      is_new: passes.length === 0 ? null : true,
      weight: passes.length === 0 ? 0.7 : 0.93,
    },
  ];
}

/** Whether two places are the same but for ids, and the third one is another. */
function isAlike(mine: string, facts: RunFacts, theirs: string, of: RunFacts, landed: string): boolean {
  const name = facts.normaliser.url(mine);
  return name === of.normaliser.url(theirs) && name !== facts.normaliser.url(landed);
}

/** The places that the page of a step was at before it, in order. */
function visitsBefore({ pages }: RunFacts, step: Step): string[] {
  const shots = pages.filter(
    (shot) =>
      shot.page === step.page &&
      /^https?:/.test(shot.url) &&
      (shot.ts <= step.ts || (shot.step_id === step.step_id && shot.phase === "before")),
  );
  const places = shots.map(({ url }) => placeOf(url));
  return places.filter((place, at) => place !== places[at - 1]);
}

/** An address without its site. */
const placeOf = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.pathname}${parsed.search}${parsed.hash}` : url;
};
