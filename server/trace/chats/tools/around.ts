import { Type } from "@sinclair/typebox";
import { findScenarioFile } from "../../../../store/records/scenarios.ts";
import { AppError } from "../../../http/errors.ts";
import { toIso } from "../../../platform/clock.ts";
import { causeOf } from "../../causes/service.ts";
import type { DiffAnswer } from "../../diffs/model.ts";
import { storedSummary } from "../../files/stored-summary.ts";
import { whereItLies } from "../../files/where-it-lies.ts";
import { fitting, shortened, told, toldOrNull } from "../../fit.ts";
import { type ComparedDimension, DIMENSIONS } from "../../format/diff/types.ts";
import { divergenceWords } from "../../format/diff/words.ts";
import { showHistory } from "../../histories/service.ts";
import { oneOf } from "../../model.ts";
import { sourceAround } from "../../prompts/service.ts";
import { traceReport } from "../../reports/service.ts";
import { defineChatTool } from "./tool.ts";

const ITEM_BYTES = 7_000;
const MOST_ITEMS = 40;
const RUNS = 30;
const REPORT = 8_000;

export const comparison = defineChatTool({
  name: "compare_with_last_pass",
  description:
    "What differs between this run and the newest pass before it. dimension: overview counts all; steps, network, dom, clone, console list their differences.",
  input: Type.Object({ dimension: Type.Optional(oneOf(DIMENSIONS)) }),
  async look({ deps, trace, actor, diffs, signal, clean }, { dimension }) {
    const { baselineId } = await causeOf(deps, trace);
    if (baselineId === null) throw new AppError("not_found", "There is no earlier pass to compare with.");
    const query = { a: baselineId, b: trace.id, ...(dimension === undefined ? {} : { dimension }) };
    const answer = JSON.parse(await diffs.show(actor, query, signal)) as typeof DiffAnswer.static;
    const differing = answer.items.filter(({ change }) => change !== "same");
    const { dimension: compared } = answer;
    const first = clean(answer.first_divergence);
    return {
      pass_id: baselineId,
      dimension: compared,
      summary: answer.summary,
      first_divergence: first && inWords(first.dimension, first),
      differing: differing.length,
      items: fitting(
        differing
          .slice(0, MOST_ITEMS)
          .map(clean)
          .map((item) => (compared === "overview" ? (shortened(item) as object) : inWords(compared, item))),
        ITEM_BYTES,
      ),
    };
  },
});

/** A difference with a sentence that says it. */
const inWords = (dimension: ComparedDimension, item: (typeof DiffAnswer.static)["items"][number]) => ({
  words: told(divergenceWords(dimension, item, NAMES), 500),
  ...(shortened(item) as object),
});
const NAMES = { a: "the last pass", b: "this run" };

export const history = defineChatTool({
  name: "get_history",
  description:
    "The last runs of the same test up to this one, how often it fails, whether its outcome changes on the same commit (flakiness), the last pass and the first failure after it.",
  input: Type.Object({}),
  async look({ deps, trace, actor, clean }) {
    const scenario = await findScenarioFile(deps.store.records, actor.orgId, trace.scenario_id);
    if (!scenario) throw new AppError("not_found", "The test of this run is not known any more.");
    const {
      scenario: of,
      items,
      statistics,
      regression,
    } = await showHistory(deps, actor, scenario.id, {
      limit: RUNS,
      until: trace.id,
    });
    return {
      scenario: { slug: of.slug, test: of.test, path: toldOrNull(clean(scenario.path), 300) },
      runs: items.map(({ id, status, created_at, code_sha, failure_signature, attempt }) => ({
        ...{ is_this: id === trace.id, status, at: created_at, commit: toldOrNull(code_sha, 12), attempt },
        is_same_failure: failure_signature === null ? null : failure_signature === trace.failure_signature,
      })),
      statistics,
      regression,
    };
  },
});

export const source = defineChatTool({
  name: "get_source",
  description:
    "The test's code around the line that failed, and the places that led there, where they were recorded.",
  input: Type.Object({}),
  async look({ deps, trace, clean }) {
    return whereItLies(deps, trace, async (now) => {
      const summary = await storedSummary(deps, now);
      const frames = summary?.failure?.stack ?? [];
      if (!summary || frames.length === 0)
        throw new AppError("not_found", "No place in the code was recorded with this failure.");
      return {
        places: clean(frames.slice(0, 8)).map(({ file, line, column, function: name }) => ({
          ...{ file: told(file, 300), line, column, function: toldOrNull(name, 100) },
        })),
        source: toldOrNull(await sourceAround(deps, now, summary, clean), 4_000),
      };
    });
  },
});

export const environment = defineChatTool({
  name: "get_environment",
  description:
    "What is known of the run itself: when, which commit, region, pull request, browser and machine.",
  input: Type.Object({}),
  async look({ deps, trace, clean }) {
    const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
    return {
      ...{
        test: told(clean(trace.scenario_title), 200),
        status: trace.status,
        duration_ms: trace.duration_ms,
      },
      ...{
        commit: toldOrNull(trace.code_sha, 100),
        region: toldOrNull(trace.region, 100),
        pull_request: trace.pr_number,
      },
      started_at: trace.started_at === null ? null : toIso(trace.started_at),
      created_at: toIso(trace.created_at),
      environment: shortened(clean<unknown>(summary?.environment ?? JSON.parse(trace.env))),
      warnings: clean((summary?.warnings ?? []).slice(0, 5)).map((warning) => told(warning, 200)),
    };
  },
});

export const report = defineChatTool({
  name: "get_report",
  description:
    "The whole story as a report in CommonMark: the failure, the timeline around it, failing requests, console, environment.",
  input: Type.Object({}),
  async look({ deps, trace, clean }) {
    const text = clean(await traceReport(deps, trace, "", clean));
    return { report: told(text, REPORT), characters: text.length };
  },
});
