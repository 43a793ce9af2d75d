import { oneLine } from "../../../error-text.ts";
import { askedFor } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import type { Step } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, quotedStep, requestOf } from "../../words.ts";
import { TYPES } from "../requests/search.ts";
import { textOf } from "../requests/unsaid.ts";
import { lastActOf } from "./listed.ts";
import { textsOf } from "./other-order.ts";

const SHORTEST = 2;
const MOST = 400;
const OFFERED = new Set(["heading", "option", "link", "listitem", "cell", "rowheader"]);

/** A search that found what begins with its word alone, where something else has the word within: what the page had listed before, or what the test wants. */
export function detectFoundByBeginning(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const typed = actionBefore(run.facts, failed);
  const word = (typed && textOf(typed)?.trim().toLowerCase()) ?? "";
  if (!typed || !run.page || word.length < SHORTEST || !TYPES.test(typed.name)) return [];
  const shown = textsIn(run.page.elements, word);
  const [first] = shown;
  if (first === undefined || !shown.every((text) => text.toLowerCase().startsWith(word))) return [];
  const known = [...listedBefore(evidence, typed, word), ...(textsOf(failed.expected ?? "") ?? [])];
  const missing = known.find(
    (text) => text.toLowerCase().includes(word) && !shown.some((one) => one === text || one.includes(text)),
  );
  if (missing === undefined || missing.toLowerCase().startsWith(word)) return [];
  const asked = run.facts.exchanges.findLast(
    (one) =>
      one.ts >= typed.ts &&
      one.ts <= failed.to &&
      one.status === 200 &&
      askedFor(one, run).some(([, value]) => value.toLowerCase() === word),
  );
  return [
    {
      kind: asked ? "answer_changed" : "page_changed",
      title: `${quoted(missing, 60)} is not among what was found after ${quotedStep(typed)}${asked ? ` by ${requestOf(asked, run.facts)}` : ""}: all of that begins with the word (${quoted(first, 40)}), and ${quoted(missing, 60)} has it further on`,
      detail: null,
      step_id: typed.step_id,
      events: [typed.seq, ...(asked ? [asked.seq] : []), run.page.shot.seq],
      ts: asked?.end ?? typed.end,
      is_new: null,
      weight: 0.86,
    },
  ];
}

/** What the page listed before the word was typed. */
function listedBefore(evidence: Evidence, typed: Step, word: string): string[] {
  const act = lastActOf(evidence);
  return act?.action.seq === typed.seq ? textsIn(act.met.elements, word) : [];
}

/** How things are called whose names have a word in them. */
const textsIn = (elements: readonly SeenElement[], word: string): string[] =>
  elements
    .flatMap(({ role, own, isHidden }) =>
      !isHidden && OFFERED.has(role) && own.toLowerCase().includes(word) ? [oneLine(own)] : [],
    )
    .slice(0, MOST);
