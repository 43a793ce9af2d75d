import { knownActs } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import type { Step } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { FINDS, TYPES } from "./search.ts";
import { textOf } from "./unsaid.ts";

const SHORTEST = 3;

/** What the last action typed into a field that searches. */
interface TypedSearch {
  typed: Step;
  text: string;
  /** The page that it met; empty where that was not recorded. */
  met: readonly SeenElement[];
}

/** @returns null where the last action did something else, or typed less than a word */
export function typedSearch(evidence: Evidence): TypedSearch | null {
  const typed = actionBefore(evidence.run.facts, evidence.failed);
  const text = typed && textOf(typed)?.trim();
  if (!typed || !text || text.length < SHORTEST || !TYPES.test(typed.name)) return null;
  const field = `${typed.title} ${String(typed.params.selector ?? "")}`.replace(text, "");
  if (!FINDS.test(field)) return null;
  const met = knownActs(evidence).findLast(({ step }) => step.seq === typed.seq)?.met.elements ?? [];
  return { typed, text, met };
}
