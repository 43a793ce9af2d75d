import type { MenderRow } from "../../../store/records/mender.ts";
import { codeSpan, text as plainText } from "../../trace/format/markdown.ts";
import type { StepChanges } from "../guardrails/scenario.ts";
import type { Told } from "./repository.ts";
import { type KeptEvidence, verificationOf } from "./verification.ts";

/** What a pull request says of a fix: what broke, why that is thought, how it was verified, and what it does not weaken. */
export function tellFix(
  row: MenderRow,
  scenario: { slug: string; title: string },
  changes: StepChanges,
  base: string,
): Told {
  const { status, trace_id, from_step, sent, left_out, unchanged } = verificationOf(row);
  const evidence = (JSON.parse(row.evidence) as KeptEvidence[]).slice(0, 8);
  const link = (text: string, id: string | null) => (id === null ? text : `[${text}](${base}/traces/${id})`);
  const replaced = changes.replaced.map(
    ({ before, after }) => `- step ${before.index}: ${codeSpan(before.source)} is ${codeSpan(after.source)}`,
  );
  const added = changes.added.map(({ source }) => `- added: ${codeSpan(source)}`);
  const calls = (all: typeof sent) => all.map(({ method, url }) => codeSpan(`${method} ${url}`)).join(", ");
  const body = [
    plainText(row.summary),
    "",
    `The scenario ${codeSpan(scenario.slug)} failed: ${link("the failed trace", row.trace_id)}. ${base}/mender/${row.id} shows it with this patch.`,
    "",
    "### Why",
    "",
    ...evidence.map(({ text, trace_id: id }) => `- ${link(plainText(text), id)}`),
    `- It was taken for ${codeSpan(row.classification)}, with a confidence of ${Math.round(row.confidence * 100)} %.`,
    "",
    "### What changes",
    "",
    ...(replaced.length + added.length > 0 ? [...replaced, ...added] : ["- no step of the scenario"]),
    "",
    "### Verified",
    "",
    status === "passed"
      ? `Repeated from step ${from_step} with this patch, the scenario passes to its end: ${link("the trace of it", trace_id)}.`
      : "It was not repeated with this patch.",
    ...(unchanged
      ? [
          `Without the patch it ${unchanged.outcome === "failed" ? "failed again" : unchanged.outcome === "passed" ? "passed" : "could not be repeated"}: ${link("that trace", unchanged.trace_id)}.`,
        ]
      : []),
    ...(sent.length > 0 ? [`Of the steps before, these were sent again: ${calls(sent)}.`] : []),
    ...(left_out.length > 0 ? [`Of the steps before, these were not sent again: ${calls(left_out)}.`] : []),
    "",
    "### What it does not weaken",
    "",
    "Every expectation of before is still there, in its order, and asks for no less; no step waits longer, none is skipped, and nothing but steps is changed. This was checked on the patch itself, whatever made it.",
  ].join("\n");
  return {
    title: `fix${replaced.length + added.length > 0 ? "(scenarios)" : ""}: ${oneLine(scenario.title).slice(0, 60)}: ${oneLine(row.summary).slice(0, 120)}`,
    body,
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
