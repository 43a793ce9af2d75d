import type { Exchange } from "../../run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl } from "../../words.ts";

/**
 * What an answer says by itself, without another one to compare it with.
 *
 * @param title the whole sentence, which begins with the request
 * @param weight from 0 to 1
 */
export const answerAlone = ({ run }: Evidence, one: Exchange, title: string, weight: number): Finding => ({
  kind: "answer_changed",
  title,
  detail: null,
  step_id: one.step_id,
  events: [one.seq],
  ts: one.end ?? one.ts,
  is_new: null,
  weight,
  about: aboutUrl(one.url, run.facts, one.operation),
});
