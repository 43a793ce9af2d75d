import { askedFor, isRead } from "../../exchanges/sent.ts";
import { pickedBy } from "../../page/field-values.ts";
import { fieldOf } from "../../page/filled.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { insideOf } from "../../page/within.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, isTracker, quoted, requestOf } from "../../words.ts";
import { listsOn } from "./listed.ts";

const FEWEST = 2;
const SHORTEST = 3;

/** A list that shows things of other kinds than the one that was picked last, though it was asked for with that kind. */
export function detectListUnfiltered(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  if (!action || !run.page || failed.received === null) return [];
  const choice = choiceOf(action, run.page.elements);
  const asked =
    choice &&
    run.facts.exchanges.findLast(
      (one) => one.ts >= action.ts - 5 && one.ts <= failed.to && asksFor(one, choice.value, run),
    );
  if (!choice || !asked || asked.status === null || asked.status >= 400) return [];
  const name = askedFor(asked, run).find(([, value]) => value === choice.value)?.[0] ?? "";
  for (const items of listsOn(run.page.elements)) {
    const kinds = items.map(({ text }) => kindIn(text, choice.labels));
    const others = kinds.filter((kind) => kind !== null && kind !== choice.label);
    if (kinds.length < FEWEST || kinds.includes(null) || !kinds.includes(choice.label)) continue;
    if (others.length === 0) continue;
    return [
      {
        kind: "page_changed",
        title: `${requestOf(asked, run.facts)} asked for ${quoted(choice.value, 40)} for ${quoted(name, 40)}, and ${others.length} of the ${kinds.length} things that the page lists since are others (${quoted(others[0]!, 40)}): the filter was ignored`,
        detail: null,
        step_id: asked.step_id,
        events: [asked.seq, run.page.shot.seq],
        ts: asked.end ?? asked.ts,
        is_new: null,
        weight: 0.86,
        about: aboutUrl(asked.url, run.facts, asked.operation),
      },
    ];
  }
  return [];
}

interface Choice {
  value: string;
  label: string;
  labels: string[];
}

/** What an action picked in a list of kinds, and the labels of all of them, small. */
function choiceOf(action: Step, elements: readonly SeenElement[]): Choice | null {
  const [picked] = pickedBy(action);
  const field = picked === undefined ? null : fieldOf(action, elements);
  if (!field) return null;
  const options = insideOf(elements, field).filter(({ tag }) => tag === "option");
  const one = options.find(({ own, attributes }) => own === picked || attributes.value === picked);
  const value = one?.attributes.value ?? one?.own ?? "";
  const labels = options.map(({ own }) => own.toLowerCase()).filter((label) => label.length >= SHORTEST);
  return one && value !== "" && labels.length > 1 ? { value, label: one.own.toLowerCase(), labels } : null;
}

const asksFor = (one: Exchange, value: string, run: RunEvidence): boolean =>
  isRead(one, run) &&
  /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
  !isTracker(one.url) &&
  askedFor(one, run).some(([, said]) => said === value);

/** The one of some kinds that a text names as a word of its own; null where it names none, or several. */
function kindIn(text: string, labels: readonly string[]): string | null {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const [kind, ...others] = labels.filter((label) => words.has(label));
  return kind !== undefined && others.length === 0 ? kind : null;
}
