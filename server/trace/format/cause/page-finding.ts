import type { Exchange } from "./run-facts.ts";
import type { Evidence, Finding } from "./types.ts";
import { aboutUrl } from "./words.ts";

/**
 * What a page that the server made says otherwise than in every pass.
 *
 * @param title the whole sentence, which begins with the page's request
 * @param weight from 0 to 1
 */
export const pageFinding = (evidence: Evidence, one: Exchange, title: string, weight: number): Finding => ({
  kind: "answer_changed",
  title,
  detail: null,
  step_id: one.step_id,
  events: [one.seq],
  ts: one.end ?? one.ts,
  is_new: true,
  weight,
  about: aboutUrl(one.url, evidence.run.facts),
});
