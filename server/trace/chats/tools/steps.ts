import { Type } from "@sinclair/typebox";
import { AppError } from "../../../http/errors.ts";
import { storedSummary } from "../../files/stored-summary.ts";
import { whereItLies } from "../../files/where-it-lies.ts";
import { fitting, told, toldOrNull } from "../../fit.ts";
import type { StepSummary } from "../../format/summary.ts";
import { findStep, stepsAround } from "../../steps/find-step.ts";
import { momentsOf } from "../../steps/moments.ts";
import { pageOf } from "../../steps/page.ts";
import { defineChatTool, type Sight } from "./tool.ts";

const LIST_BYTES = 8_500;
/** More never fit. */
const MOST_LINES = 200;
const MOST_PAGE_LINES = 1_000;
const PART_BYTES = 2_200;
const PAGE_BYTES = 7_500;

const StepNumber = Type.Optional(
  Type.Integer({ minimum: 1, description: "The number of a step, from 1; the failed one when absent." }),
);

const line = ({
  index,
  title,
  status,
  duration_ms,
  parent_step_id,
  console_errors,
  bad_requests,
}: StepSummary) => ({
  step: index,
  title: told(title, 140),
  status,
  duration_ms,
  ...(parent_step_id === null ? {} : { is_part_of_another: true }),
  ...(console_errors === 0 ? {} : { console_errors }),
  ...(bad_requests === 0 ? {} : { failed_requests: bad_requests }),
});

export const steps = defineChatTool({
  name: "list_steps",
  description:
    "The steps of the run in their order, with status and duration, from one step on. Without from: those up to the failed one.",
  input: Type.Object({ from: Type.Optional(Type.Integer({ minimum: 1 })) }),
  async look({ deps, trace, clean }, { from }) {
    const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
    if (!summary)
      throw new AppError(
        "not_found",
        "The run has not ended, or waits to be processed: its steps are not listed yet.",
      );
    const failed = summary.steps.find(({ step_id }) => step_id === summary.failure?.step_id) ?? null;
    const start = from ?? Math.max(1, (failed?.index ?? 1) - 40);
    const shown = fitting(
      summary.steps
        .filter(({ index }) => index >= start)
        .slice(0, MOST_LINES)
        .map((one) => line(clean(one))),
      LIST_BYTES,
    );
    const slowest = summary.steps
      .filter(({ step_id }) => !summary.steps.some(({ parent_step_id }) => parent_step_id === step_id))
      .toSorted((a, b) => b.duration_ms - a.duration_ms)
      .slice(0, 3);
    return {
      total: summary.step_count,
      duration_ms: summary.duration_ms,
      failed_step: failed?.index ?? null,
      slowest: slowest.map(({ index, title, duration_ms }) => ({
        step: index,
        title: told(clean(title), 140),
        duration_ms,
      })),
      steps: shown,
    };
  },
});

/** @param isLast whether the last step is meant where none is named and none failed @throws AppError `not_found` */
async function stepNamed({ deps, trace }: Sight, number: number | undefined, isLast = false) {
  const found =
    (await findStep(deps, trace, number === undefined ? null : String(number))) ??
    (number === undefined && isLast ? await lastStep(deps, trace) : null);
  if (found) return found;
  throw new AppError(
    "not_found",
    number === undefined
      ? `No step of this run failed (it is ${trace.status}): name one by its number.`
      : await withoutStep(deps, trace, number),
  );
}

/** A summary of a long run lists the first steps, and those around the failure. */
async function withoutStep(deps: Sight["deps"], trace: Sight["trace"], number: number): Promise<string> {
  const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
  const total = summary?.step_count ?? 0;
  return number <= total
    ? `The run has ${total} steps, of which only ${summary!.steps.length} can be told of by their numbers; step ${number} is none of these.`
    : `The run has no step ${number}.`;
}

/** The last that somebody wrote: hooks clean up behind it. */
async function lastStep(deps: Sight["deps"], trace: Sight["trace"]) {
  const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
  const own = summary?.steps.filter(({ parent_step_id: parent }) => parent === null) ?? [];
  const last = own.findLast(({ title }) => !isHook(title)) ?? own.at(-1);
  return last ? findStep(deps, trace, last.step_id) : null;
}

/** Steps that a test runner adds of its own. */
export const isHook = (title: string): boolean =>
  /^(?:(?:before|after) (?:hooks|each|all)|worker (?:cleanup|teardown)|fixture\b|attach ")/i.test(title);

export const step = defineChatTool({
  name: "get_step",
  description:
    "One step in full: its error and call log, the requests (failed ones first) and the console from 2 s before it to its end, and the steps around it.",
  input: Type.Object({ step: StepNumber }),
  async look(sight, { step: number }) {
    const { trace, step: found, summary } = await stepNamed(sight, number);
    const moments = await momentsOf(sight.deps, trace, found, sight.clean);
    const { before, after } = stepsAround(summary, found);
    return {
      ...{
        step: found.index,
        step_id: found.step_id,
        seq: found.seq,
        title: told(sight.clean(found.title), 240),
      },
      ...{
        status: found.status,
        duration_ms: found.duration_ms,
        error: toldOrNull(sight.clean(found.error), 800),
      },
      call_log: moments.log.slice(-10).map((text) => told(text, 160)),
      before: sight.clean(before).map(line),
      after: sight.clean(after).map(line),
      requests: fitting(moments.requests, PART_BYTES),
      requests_total: moments.requests.length,
      console: fitting(moments.lines, PART_BYTES),
      console_total: moments.lines.length,
    };
  },
});

export const page = defineChatTool({
  name: "get_page",
  description:
    "The page as a step left it (without step the failed one, else the last), as an accessibility tree (roles, names, texts), a part at a time: from says from which line on.",
  input: Type.Object({ step: StepNumber, from: Type.Optional(Type.Integer({ minimum: 0 })) }),
  async look(sight, { step: number, from = 0 }) {
    const { trace, step: found } = await stepNamed(sight, number, true);
    const seen = await pageOf(sight.deps, trace, found, {
      clean: sight.clean,
      from,
      to: from + MOST_PAGE_LINES,
    });
    if (!seen) throw new AppError("not_found", "No page was recorded at this step.");
    const tree = fitting(
      seen.tree.slice(from, from + MOST_PAGE_LINES).map((text) => told(text, 300)),
      PAGE_BYTES,
    );
    return {
      ...{ step: found.index, title: told(sight.clean(found.title), 160), url: told(seen.url, 300) },
      ...{ tree, from, lines: seen.tree.length },
    };
  },
});
