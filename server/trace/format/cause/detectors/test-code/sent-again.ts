import { isBefore } from "../../compare.ts";
import { CHANGING, requestBodyOf } from "../../exchanges/sent.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, howOften, requestOf } from "../../words.ts";

const MOST = 3;

/** What the test itself sent to a server with the same content more often than in every pass: what it prepares is there more than once. */
export function detectSentAgain(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  return [...run.facts.byKey]
    .flatMap(([key, all]): Finding[] => {
      const sent = all.filter((one) => isOfTest(one) && isBefore(evidence, one.ts));
      const usual = passes.map((pass) => exchangesOf(pass.facts, key).filter(isOfTest));
      const count = usual[0]!.length;
      const isMore = count > 0 && sent.length > count && usual.every(({ length }) => length === count);
      const [last] = sent.slice(-1);
      if (!isMore || !last) return [];
      // Of things that differ it may make as many as it likes.
      const known = new Set(usual.flatMap((theirs, at) => theirs.map((one) => saidIn(one, passes[at]!))));
      if (!sent.every((one) => known.has(saidIn(one, run)))) return [];
      return [
        {
          kind: "request_repeated",
          title: `The test itself sent ${requestOf(last, run.facts)} ${howOften(sent.length)}, in the last pass ${howOften(count)}`,
          detail: null,
          step_id: last.step_id,
          events: sent.slice(-5).map(({ seq }) => seq),
          ts: last.ts,
          is_new: true,
          weight: 0.84,
          about: `sent ${aboutUrl(last.url, run.facts, last.operation)}`,
          isTwice: sent.length === 2,
          isOfSetUp: true,
        },
      ];
    })
    .slice(-MOST);
}

/** What was refused made nothing, and is tried again. */
export const isOfTest = (one: Exchange): boolean =>
  one.type === "api" && CHANGING.has(one.method) && one.status !== null && !isFailedExchange(one);

/** What a request was sent with, without what is made for each run. */
const saidIn = (one: Exchange, run: RunEvidence): string =>
  JSON.stringify(run.facts.normaliser.json(requestBodyOf(one, run))) ?? "";
