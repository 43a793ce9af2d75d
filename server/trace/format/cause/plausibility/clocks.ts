import { explained, type Rule } from "./rule.ts";

/** The clock is guessed from two texts; an answer with another time is seen. */
const guessedClocks: Rule = ({ otherTime }, { isAnswered }) =>
  isAnswered && otherTime !== undefined ? explained : null;

/** What was refused for the time that it was by the server's clock came of that clock, and so does what the page says of it. */
const refusedByClock: Rule = ({ kind, events, title }, { news }) => {
  if (kind !== "request_failed" && kind !== "page_message") return null;
  const clock = news.find((one) => one.kind === "time" && one.about?.startsWith("clock "));
  if (!clock) return null;
  const isRefusal = kind === "request_failed" && clock.about === `clock ${events[0]}`;
  const said = /: “([^“”]+)”$/.exec(clock.title)?.[1];
  const isSaid = kind === "page_message" && said !== undefined && title.includes(said);
  return isRefusal || isSaid ? explained : null;
};

/** Rules of what a clock made otherwise. */
export const CLOCKS: readonly Rule[] = [guessedClocks, refusedByClock];
