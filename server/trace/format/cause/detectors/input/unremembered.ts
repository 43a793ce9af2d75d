import { isFill, isFilledWith, writtenIn } from "../../page/field-values.ts";
import { fieldOf } from "../../page/filled.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { lastPartOf, wantedBy, wantedOn } from "../../page/wanted.ts";
import type { Step } from "../../run/run-facts.ts";
import { counterpart, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bodyOf, quoted, quotedStep } from "../../words.ts";
import { openedBefore } from "./state-not-kept.ts";

const LOOKED_AT = 0.92;
const BESIDE = 0.6;
const MOST = 20;
const MOST_NAMED = 3;
/** Shorter ones stand in many texts by chance. */
const SHORTEST = 4;

interface Lost {
  fill: Step;
  field: SeenElement;
}

/** A field that comes empty with a page, where every pass has it filled with what the test had written there before the page was opened: nobody kept it, or nobody looks for it where it is kept. */
export function detectUnremembered(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0 || !run.page) return [];
  const opened = openedBefore(run.facts, failed);
  if (!opened) return [];
  const { elements } = run.page;
  const lost = fillsBefore(run, opened).flatMap((fill): Lost[] => {
    const field = fieldOf(fill, elements);
    return field && writtenIn(field) === "" && passes.every((pass) => isKeptIn(pass, fill, run))
      ? [{ fill, field }]
      : [];
  });
  const looked = new Set(wantedOn({ failed }, elements));
  const isLookedAt = ({ field }: Lost) => looked.has(field);
  const first = lost.find(isLookedAt) ?? lost[0];
  if (!first) return [];
  const others = lost.filter(({ field }) => field !== first.field).slice(0, MOST_NAMED);
  const value = String(first.fill.params.value);
  const isStored = isOfBrowser(first.fill, opened, evidence);
  return [
    {
      kind: "page_changed",
      title: `After ${quotedStep(opened)} the field ${nameOf(first)} was empty, where every pass has it filled with ${quoted(value, 60)}, which the test had written there before${others.length === 0 ? "" : ` (so ${others.length === 1 ? "was" : "were"} ${others.map(nameOf).join(", ")})`}${isStored ? "; no answer brings it there: it is kept in the browser's storage or a cookie" : ""}`,
      detail: null,
      step_id: opened.step_id,
      events: [first.fill.seq, opened.seq, run.page.shot.seq],
      ts: opened.ts,
      is_new: true,
      // What an answer brings in passes, that answer lacks.
      weight: isStored && isLookedAt(first) ? LOOKED_AT : BESIDE,
      about: `lost ${opened.seq}`,
    },
  ];
}

/** The last of what was filled into each field before a page was opened, where nothing was done with it afterwards. */
function fillsBefore({ facts }: RunEvidence, opened: Step): Step[] {
  const bySelector = new Map<unknown, Step>();
  for (const step of facts.steps) {
    if (step.page !== opened.page || step.kind !== "agent.action") continue;
    if (step.seq > opened.seq) bySelector.delete(step.params.selector);
    else if (isFill(step)) bySelector.set(step.params.selector, step);
  }
  return [...bySelector.values()].slice(-MOST);
}

/** Whether a pass has a field filled with what its test had written there. */
function isKeptIn({ facts, page }: RunEvidence, fill: Step, run: RunEvidence): boolean {
  const same = counterpart(run.facts, fill, facts);
  const field = same && page ? fieldOf(same, page.elements) : null;
  const value = field && writtenIn(field);
  return !!same && !!value && isFilledWith(same, value);
}

/** Whether the last pass has it from no answer since the page was opened, as far as these are known. */
function isOfBrowser(fill: Step, opened: Step, { run, passes, failed }: Evidence): boolean {
  const [pass] = passes;
  if (!pass) return false;
  const [given, came] = [fill, opened].map((step) => counterpart(run.facts, step, pass.facts));
  const until = momentIn(pass.facts, run.facts, failed);
  const value = String(given?.params.value ?? "");
  if (!came || until === null || value.length < SHORTEST) return false;
  const answers = pass.facts.exchanges
    .filter(({ ts, type }) => ts >= came.ts && ts <= until && READS.test(type ?? ""))
    .filter(({ mediaType }) => /html|json/.test(mediaType));
  const bodies = answers.map((one) => bodyOf(one, pass.bodies));
  return bodies.length > 0 && bodies.every((body) => body !== undefined && !body.includes(value));
}

const READS = /^(?:document|xhr|fetch)$/;

/** As the test calls it. */
function nameOf({ fill, field: { name, attributes, tag } }: Lost): string {
  const called = wantedBy(lastPartOf(String(fill.params.selector))).name;
  return quoted(called || name || attributes.name || attributes.id || tag, 60);
}
