import type { Exchange, Step } from "../../run/run-facts.ts";
import type { Finding } from "../../types.ts";
import { quotedStep } from "../../words.ts";

/** A page that asked for the very same again at an action which was to show something else. */
export const askedTheSame = (action: Step, one: Exchange, words: string, when = ""): Finding => ({
  kind: "page_changed",
  title: `After ${quotedStep(action)}${when} the page asked ${words}`,
  detail: null,
  step_id: action.step_id,
  events: [action.seq, one.seq],
  ts: one.ts,
  is_new: null,
  weight: 0.9,
  about: `acted ${action.seq}`,
});
