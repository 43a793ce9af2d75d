import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl } from "../words.ts";

/**
 * What an answer says otherwise than in every pass, or by itself where there is none.
 *
 * @param title the whole sentence, which begins with the request
 * @param weight from 0 to 1
 */
export const answerFinding = (
  { run, passes }: Evidence,
  one: Exchange,
  title: string,
  weight: number,
): Finding => ({
  kind: "answer_changed",
  title,
  detail: null,
  step_id: one.step_id,
  events: [one.seq],
  ts: one.end ?? one.ts,
  is_new: passes.length === 0 ? null : true,
  weight,
  about: aboutUrl(one.url, run.facts, one.operation),
});
