import { cut, headline, oneLine } from "./error-text.ts";
import { isNoise } from "./step-noise.ts";
import { shortTitle } from "./step-words.ts";
import type { Failure, StepSummary } from "./summary.ts";
import type { Nearby } from "./summary-failures.ts";

/** Longest narrative, in characters. */
export const MAX_NARRATIVE = 600;

const TITLE = 80;
const VALUE = 80;
const MESSAGE = 160;
const ADDRESS = 80;
const WORTH_TELLING_MS = 1_000;
const SAME_MOMENT_MS = 50;
const MAX_DEPTH = 100;

/** What the narrative is made from: of a summary what it tells, and what the events had around the failure. */
export interface NarrativeFacts {
  failure: Failure;
  steps: StepSummary[];
  /** Epoch ms; where the run's clock begins. */
  firstTs: number | null;
  near: Nearby;
}

/**
 * What happened, as one paragraph of plain text of at most `MAX_NARRATIVE` characters: each sentence states what an event
 * says, in the order of what matters; those that do not fit any more are left out. Captured text stands in curly quotes,
 * on one line, without control or direction characters.
 */
export function narrate(facts: NarrativeFacts): string {
  const sentences = [
    whatFailed(facts),
    whatItSaid(facts.failure),
    ...requestAndConsole(facts),
    injection(facts),
    clockMove(facts),
    openRequests(facts),
  ];
  let story = "";
  for (const sentence of sentences) {
    const longer = story === "" ? sentence : `${story} ${sentence}`;
    if (sentence !== "" && longer.length <= MAX_NARRATIVE) story = longer;
  }
  return story;
}

function whatFailed({ failure, steps, firstTs, near }: NarrativeFacts): string {
  if (failure.kind === "verdict") return `The run's verdict is ${quote(headline(failure.message), MESSAGE)}.`;
  const at = steps.findIndex(({ step_id }) => step_id === failure.step_id);
  const step = steps[at];
  if (failure.kind === "runner")
    return step
      ? `The run failed while ${quote(shortTitle(step.title, TITLE), TITLE)} was going on.`
      : "The run failed with an error that no recorded step reports.";
  const parent = step && steps.find(({ step_id }) => step_id === step.parent_step_id);
  const before = step && previous(steps, at);
  const duration = step?.duration_ms ?? 0;
  const inside = parent ? ` in ${quote(shortTitle(parent.title, TITLE), TITLE)}` : "";
  const when =
    near.moment !== null && firstTs !== null && near.moment >= firstTs
      ? ` ${lapse(near.moment - firstTs)} into the run`
      : "";
  const took = duration >= WORTH_TELLING_MS ? ` (it took ${lapse(duration)})` : "";
  const after = before ? `, after ${quote(shortTitle(before.title, TITLE), TITLE)} had ${before.status}` : "";
  const noun = failure.kind === "assertion" ? "Assertion" : "Step";
  return `${noun} ${quote(shortTitle(failure.title, TITLE), TITLE)}${inside} failed${when}${took}${after}.`;
}

/** The step worth telling that had ended last before this one began, beside it or beside what it is in. */
function previous(steps: StepSummary[], at: number): StepSummary | null {
  const failed = steps[at]!;
  // Steps are missing in between: nobody knows which was the last.
  if (failed.index !== at + 1) return null;
  let node: StepSummary | undefined = failed;
  for (let depth = 0; node && depth < MAX_DEPTH; depth++) {
    const { parent_step_id: parent, index }: StepSummary = node;
    const beside = steps.findLast(
      (step) => step.index < index && step.parent_step_id === parent && !isNoise(step.title),
    );
    if (beside) return beside.ts + beside.duration_ms <= failed.ts + 1 ? beside : null;
    node = steps.find(({ step_id }) => step_id === parent);
  }
  return null;
}

function whatItSaid({ kind, title, message, expected, received }: Failure): string {
  const values = [
    expected !== undefined && `expected ${valueInWords(expected)}`,
    received !== undefined && `received ${valueInWords(received)}`,
  ].filter((part) => part !== false);
  if (values.length > 0) return `It ${values.join(" and ")}.`;
  const said = headline(message, MESSAGE);
  const isTold = kind === "verdict" || (kind !== "runner" && said === headline(title, MESSAGE));
  if (said === "" || isTold) return "";
  return `The error says ${quote(said.replace(/(?<!\.)\.$/, ""), MESSAGE)}.`;
}

const valueInWords = (value: string): string =>
  /^(?:""|''|``|)$/.test(value.trim()) ? "an empty text" : quote(value, VALUE);

/** What the page met before it failed: one sentence when both came in the same moment. */
function requestAndConsole({ near, firstTs }: NarrativeFacts): string[] {
  const { badRequest: bad, consoleError: logged } = near;
  const request = bad ? badRequest(bad) : "";
  const line = logged?.text ? `the console logged the error ${quote(logged.text, VALUE)}` : "";
  if (bad && logged && line !== "" && Math.abs(bad.ts - logged.ts) < SAME_MOMENT_MS)
    return [sentence(`${when(bad.ts, near, firstTs)}${request}, and ${line}`)];
  return [
    bad ? sentence(`${when(bad.ts, near, firstTs)}${request}`) : "",
    logged && line !== "" ? sentence(`${when(logged.ts, near, firstTs)}${line}`) : "",
  ];
}

function badRequest(bad: NonNullable<Nearby["badRequest"]>): string {
  const method = /^[A-Za-z]{1,16}$/.test(bad.method) ? bad.method : quote(bad.method, 16);
  const request = `${method} ${addressOf(bad.url)}`;
  const outcome =
    bad.status > 0
      ? `was answered with ${bad.status}`
      : `failed${bad.error ? ` (${quote(bad.error, 60)})` : ""}`;
  return `${request} ${outcome}`;
}

function injection({ near, firstTs }: NarrativeFacts): string {
  const { injection: fault } = near;
  if (!fault) return "";
  const what =
    fault.kind === "latency_injection"
      ? `a delay${fault.value === null ? "" : ` of ${lapse(fault.value)}`} was injected`
      : `an error${fault.value === null ? "" : ` (${fault.value})`} was injected`;
  return sentence(
    `${when(fault.ts, near, firstTs)}${what}${fault.url ? ` for ${addressOf(fault.url)}` : ""}`,
  );
}

function clockMove({ near, firstTs }: NarrativeFacts): string {
  const move = near.clockMove;
  if (!move) return "";
  const by = move.value === null ? "" : ` by ${move.value < 0 ? "−" : ""}${lapse(Math.abs(move.value))}`;
  return sentence(`${when(move.ts, near, firstTs)}the page's clock was moved${by}`);
}

function openRequests({ near: { pending, badRequest, consoleError, injection } }: NarrativeFacts): string {
  if (!pending) return "";
  if (pending.documents > 0) return "The page was still loading its document.";
  // Worth a sentence only where nothing else explains the failure.
  if (pending.all === 0)
    return badRequest || consoleError || injection
      ? ""
      : "No recorded request was waiting for an answer then.";
  return pending.all === 1
    ? "One request was still waiting for its answer."
    : `${pending.all} requests were still waiting for their answers.`;
}

/** How long before the failure; without a moment of it, how long into the run. */
function when(ts: number, { moment }: Nearby, firstTs: number | null): string {
  if (moment !== null) return moment - ts < 1 ? "at the same moment " : `${lapse(moment - ts)} before, `;
  return firstTs !== null && ts >= firstTs ? `${lapse(ts - firstTs)} into the run, ` : "";
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** Captured words in curly quotes that nothing in them can close, in the place of quotes they are printed in. */
function quote(value: string, max: number): string {
  const line = oneLine(value).replace(/[“”]/g, '"');
  return `“${cut(/^"([^"]+)"$/.exec(line)?.[1] ?? line, max) || "…"}”`;
}

/** Host and path of a request. The query may be long, or hold what nobody reads. */
function addressOf(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return quote(url, ADDRESS);
  return cut(
    oneLine(parsed.host === "" ? `${parsed.protocol}…` : `${parsed.host}${parsed.pathname}`),
    ADDRESS,
  );
}

function lapse(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
