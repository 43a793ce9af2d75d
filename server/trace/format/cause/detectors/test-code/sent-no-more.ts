import { exchangesOf } from "../../run/keys.ts";
import { momentIn } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, isForeign, quotedStep, requestOf } from "../../words.ts";
import { isOfTest } from "./sent-again.ts";

const MOST = 2;

/** What the test itself sends to a server in every pass by then, and did not send here: what it prepares or clears away was left as it was. */
export function detectSentNoMore(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const [pass] = passes;
  if (!pass) return [];
  const moments = passes.map(({ facts }) => momentIn(facts, run.facts, failed));
  return [...pass.facts.byKey]
    .flatMap(([key]): Finding[] => {
      if (exchangesOf(run.facts, key).some(({ type }) => type === "api")) return [];
      const sent = passes.map(({ facts }, at) =>
        exchangesOf(facts, key).find((one) => isOfTest(one) && one.ts < (moments[at] ?? 0)),
      );
      const [first] = sent;
      if (!first || sent.includes(undefined) || isForeign(first.url, pass.facts)) return [];
      const next = pass.facts.steps.find(({ kind, ts }) => kind === "agent.action" && ts > first.ts);
      return [
        {
          kind: "request_unsent",
          title: `The test itself did not send ${requestOf(first, pass.facts)}, which it sends in the last pass${next ? ` before ${quotedStep(next)}` : ""}: what that prepares or clears away was left as it was`,
          detail: null,
          step_id: failed.step?.step_id ?? null,
          events: failed.step ? [failed.step.seq] : [],
          ts: run.facts.firstTs,
          is_new: true,
          weight: 0.84,
          isOfSetUp: true,
          about: `unsent ${aboutUrl(first.url, pass.facts, first.operation)}`,
        },
      ];
    })
    .slice(0, MOST);
}
