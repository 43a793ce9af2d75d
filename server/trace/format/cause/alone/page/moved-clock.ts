import { isMissing } from "../../run/missing-element.ts";
import type { Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { DAY_MS } from "../../values/dates.ts";

/** Calls that give the page's clock a time of its own. */
const SETS = /(?:setFixedTime|setSystemTime|install|pauseAt)$/i;
/** What depends on the time: a date, an hour, a countdown, or nothing where days are asked for. */
const OF_TIME = /\d{1,3}:\d{2}|\b\d{4}\b|\bago\b|\bleft\b|overdue|expire|\bday/i;

/**
 * A time that the test gave the page's clock and that lies days from the run's own, by which servers go: what is asked for
 * by it is of the past or far ahead. Tests do so on purpose as well, so that it is one suspect among others.
 */
export function detectMovedClock(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const set = run.facts.steps.findLast((step) => timeIn(step) !== null && step.ts <= failed.from);
  const time = set && timeIn(set);
  if (!set || !time) return [];
  const apart = Math.abs(time - set.ts);
  const isTold = OF_TIME.test(`${failed.expected ?? ""} ${failed.received ?? ""}`);
  const isNothing = isMissing(evidence) || /^(?:0|\[\]|Array \[\])$/.test(failed.received?.trim() ?? "");
  if (apart < DAY_MS || !(isTold || isNothing)) return [];
  const days = Math.round(apart / DAY_MS);
  return [
    {
      kind: "test_code",
      title: `The test set the page's clock to ${momentOf(time)} (${callOf(set)}), ${days === 1 ? "a day" : `${days} days`} ${time < set.ts ? "before" : "after"} the run: the server goes by its own date`,
      detail: null,
      step_id: set.step_id,
      events: [set.seq],
      ts: set.ts,
      is_new: null,
      weight: 0.72,
    },
  ];
}

/** The time that a step gives the page's clock, epoch ms; null for any other step. */
function timeIn({ kind, name, isFailed, params }: Step): number | null {
  if (kind !== "agent.action" || isFailed || !/clock/i.test(name) || !SETS.test(name)) return null;
  const given = params.timeNumber ?? params.timeString ?? params.time;
  const time = typeof given === "number" ? given : typeof given === "string" ? Date.parse(given) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

const momentOf = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** `browserContext.clockSetFixedTime` as tests write it. */
const callOf = ({ name }: Step): string => {
  const call = name.replace(/^.*clock\.?/i, "");
  return `clock.${call.charAt(0).toLowerCase()}${call.slice(1)}`;
};
