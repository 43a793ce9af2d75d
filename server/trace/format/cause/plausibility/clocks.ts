import { STOPPED_CLOCK } from "../alone/page/stopped-clock.ts";
import { neighbourDay } from "../detectors/environment/other-day.ts";
import { SENT_ZONE } from "../detectors/environment/sent-zone.ts";
import type { Finding } from "../types.ts";
import { bareOf } from "../words.ts";
import { all, atLeast, because, explained, lessBy, type Rule, say } from "./rule.ts";

/** The clock is guessed from two texts; an answer with another time is seen. */
const guessedClocks: Rule = ({ otherTime }, { isAnswered }) =>
  isAnswered && otherTime !== undefined ? explained : null;

/** No clock makes the page show still what stood there before the last action, after which it did not read anew. */
const stoodBefore: Rule = ({ otherTime }, { news, evidence: { run, failed } }) => {
  if (otherTime === undefined || !run.before) return null;
  const isUnread = news.some(({ kind, is_new }) => kind === "request_unsent" && is_new === true);
  const shown = bareOf(failed.received ?? "");
  return isUnread && shown !== "" && run.before.elements.some(({ own }) => own === shown)
    ? lessBy(0.4)
    : null;
};

/** What was served with a time is drawn anew by a script that reads it in another zone: that the text of before is missing follows from it. */
const drawnInZone: Rule = (finding, { news, evidence: { failed } }) => {
  const isOfZone = ({ otherTime, is_new, title }: Finding) =>
    otherTime === "time" && is_new === true && AS_IN_ZONE.test(title);
  const isMissed = ({ kind, isServed, title, is_new }: Finding) =>
    kind === "answer_changed" &&
    isServed === true &&
    is_new === true &&
    title.includes(bareOf(failed.expected ?? ""));
  if (failed.expected === null) return null;
  if (isOfZone(finding)) return news.some(isMissed) ? atLeast(0.9) : null;
  return isMissed(finding) && news.some(isOfZone) ? explained : null;
};

const AS_IN_ZONE = /: the page shows it as (?:it is )?in /;

/** What was refused for the time that it was by the server's clock, or said of what was over by then, came of that clock. */
const answeredByClock: Rule = ({ kind, events }, { news }) =>
  (kind === "request_failed" || kind === "answer_changed") &&
  news.some(({ about }) => about === `clock ${events[0]}`)
    ? explained
    : null;

/** The instants that another time zone made others are told with the zone. */
const sentByZone: Rule = ({ about, events }, { news }) =>
  about?.startsWith("body ") &&
  news.some((one) => one.about === SENT_ZONE && events.some((seq) => one.events.includes(seq)))
    ? explained
    : null;

/** Lines of a changed test that stop the clock are told with what came of that, as one. */
export const stoppedByTest: Rule = (finding, { news }) => {
  const isStopped = ({ about }: Finding) => about === STOPPED_CLOCK;
  if (finding.isOfClock) return news.some(isStopped) ? explained : null;
  const lines = isStopped(finding) ? news.filter(({ isOfClock }) => isOfClock) : [];
  const line = lines.find(({ title }) => title.includes("pauseAt")) ?? lines[0];
  return line ? all(because(line), atLeast(0.98)) : null;
};

/** A page that was served with a neighbour of the usual day, where the test wants that one, has it by its server's clock or time zone. */
const servedDay: Rule = ({ kind, is_new, title, events }, { news }) => {
  if (kind !== "answer_changed" || is_new !== true) return null;
  const [, now, usual] = INSTEAD_OF.exec(title) ?? [];
  const beside = usual === undefined ? null : neighbourDay(now!, usual);
  const isServed = ({ otherTime, events: shown }: Finding) =>
    otherTime === "day" && shown.slice(1).includes(events[0]!);
  return beside !== null && news.some(isServed)
    ? say(`that is the day ${beside}, as by another clock or time zone of the server`)
    : null;
};

const INSTEAD_OF = / came with “([^“”]{1,80})”, where the last pass had “([^“”]{1,80})”/;

/** Rules of what a clock made otherwise. */
export const CLOCKS: readonly Rule[] = [
  guessedClocks,
  stoodBefore,
  drawnInZone,
  answeredByClock,
  sentByZone,
  servedDay,
];
