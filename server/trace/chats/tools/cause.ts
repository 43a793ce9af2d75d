import { Type } from "@sinclair/typebox";
import { causeOf } from "../../causes/service.ts";
import { told, toldOrNull } from "../../fit.ts";
import { defineChatTool } from "./tool.ts";

const MOST_SUSPECTS = 5;

export const cause = defineChatTool({
  name: "get_cause",
  description:
    "Why the run failed: one sentence, the failed step and its error, ranked suspects with evidence, what was wrong in passing runs as well, and where it first went another way than the last pass. Call it first.",
  input: Type.Object({}),
  async look({ deps, trace, clean }) {
    const { baselineId, found: made } = await causeOf(deps, trace);
    const found = clean(made);
    const { failed_step: step, headline, suspects, also_when_passing: also } = found.cause;
    return {
      status: trace.status,
      headline,
      failed_step: step && { step_id: step.step_id, title: told(step.title, 200) },
      error: toldOrNull(clean(trace.failure_message), 600),
      suspects: suspects.slice(0, MOST_SUSPECTS).map((suspect) => ({
        ...{ kind: suspect.kind, title: told(suspect.title, 240), confidence: suspect.confidence },
        ...{ detail: toldOrNull(suspect.detail, suspect.rank === 1 ? 500 : 240), is_new: suspect.is_new },
        ...{ step_id: suspect.step_id, events: suspect.events.slice(0, 4) },
      })),
      suspects_total: suspects.length,
      also_when_passing: also.slice(0, 5).map(({ title, count }) => ({ title: told(title, 160), count })),
      has_earlier_pass: baselineId !== null,
      page_url: toldOrNull(found.context?.url, 300),
      divergence: toldOrNull(found.context?.divergence, 400),
      pending_requests: (found.context?.pending ?? []).slice(0, 5).map((line) => told(line, 200)),
      call_log: (found.context?.log ?? []).slice(-8).map((line) => told(line, 160)),
    };
  },
});
