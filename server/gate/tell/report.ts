import { toIso } from "../../platform/clock.ts";
import { type GateFacts, pagesOf, type ToldScenario } from "./facts.ts";
import { codeOf, proseOf } from "./prose.ts";
import { isVerdict, titleOf } from "./words.ts";

/** The first line of the one comment that a gate keeps. */
export const MARKER = "<!-- tracedeck-gate -->";
/** More failures are on the page. */
const MOST_TOLD = 10;
const MOST_LISTED = 50;

/**
 * A gate as Markdown: the verdict, then each failure with its cause, its picture and what is known of it, then the others. All that
 * pages, branches and files say is escaped.
 */
export function reportOf(facts: GateFacts): string {
  const { gate, scenarios, problems } = facts;
  const pages = pagesOf(facts);
  const failed = scenarios.filter(({ finding }) => finding !== null && finding.outcome !== "passed");
  const told = failed.toSorted((a, b) => Number(b.finding!.blocks) - Number(a.finding!.blocks));
  const parts = [
    MARKER,
    `### ${titleOf(facts)}`,
    gate.reason === null ? "" : proseOf(gate.reason),
    ...problemPart(facts),
    ...told.slice(0, MOST_TOLD).map((one) => failure(facts, one)),
    told.length > MOST_TOLD ? `${told.length - MOST_TOLD} more are on [the page](${pages.gate}).` : "",
    others(facts, new Set(told.map(({ slug }) => slug))),
    decisionPart(facts),
    `<sub>${codeOf(gate.head_sha.slice(0, 7))}${gate.base_url === null ? "" : ` at ${codeOf(gate.base_url, 200)}`} · [all of it in Tracedeck](${pages.gate})</sub>`,
  ];
  if (problems.length === 0 && scenarios.length === 0) parts.splice(3, parts.length - 4);
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function problemPart({ problems }: GateFacts): string[] {
  if (problems.length === 0) return [];
  const line = ({ path, line, column, message, isNew }: (typeof problems)[number]): string =>
    `- ${codeOf(`${path}:${line}:${column}`)} ${proseOf(message)}${isNew ? "" : " (the file did not compile before this change either)"}`;
  return [problems.slice(0, MOST_LISTED).map(line).join("\n")];
}

function failure(facts: GateFacts, scenario: ToldScenario): string {
  const { title, finding, picture, fix } = scenario;
  const pages = pagesOf(facts);
  const { trace_id, run_id, failed_step, headline, known, differs, outcome } = finding!;
  const link =
    trace_id === null
      ? `[the run](${pages.run(run_id)})`
      : `[the trace at its failed step](${pages.trace(trace_id, failed_step?.step_id ?? null)})`;
  const sign = finding!.blocks ? "❌" : outcome === "error" ? "⚠️" : "➖";
  return [
    `#### ${sign} ${proseOf(title, 120)}`,
    `${outcome === "error" ? "This could not be run to its end: " : ""}${proseOf(headline ?? "It failed.")}`,
    failed_step === null
      ? ""
      : `Step ${codeOf(failed_step.title, 200)} in ${codeOf(`${failed_step.path}:${failed_step.line}`)}`,
    ...known.map(({ text, run_id: run, incident_id }) => {
      const where =
        incident_id !== null
          ? ` ([incident](${pages.incident(incident_id)}))`
          : run === null
            ? ""
            : ` ([run](${pages.run(run)}))`;
      return `**${proseOf(text)}**${where}`;
    }),
    fix === null
      ? ""
      : `**A fix is verified**${fix.status === "applied" ? " and proposed" : ""}: [the patch of the scenario](${pages.fix(fix.attempt_id)})`,
    differs.length === 0
      ? ""
      : `New since the last pass: ${differs.map((one) => proseOf(one, 200)).join("; ")}.`,
    picture === null
      ? ""
      : `<a href="${pages.trace(trace_id!, failed_step?.step_id ?? null)}"><img src="${picture}" width="480" alt="The page when it failed"></a>`,
    `${link} · ${durations(scenario)}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function others({ scenarios }: GateFacts, told: ReadonlySet<string>): string {
  const rest = scenarios.filter(({ slug }) => !told.has(slug));
  if (rest.length === 0) return "";
  const lines = rest.slice(0, MOST_LISTED).map((one) => {
    const how = one.withheld ?? (one.finding ? `passed in ${durations(one)}` : "runs");
    const sign = one.withheld ? "⚠️" : one.finding ? "✅" : "⏳";
    return `- ${sign} ${proseOf(one.title, 120)}: ${one.withheld ? proseOf(how) : how}`;
  });
  if (rest.length > MOST_LISTED) lines.push(`- and ${rest.length - MOST_LISTED} more`);
  return lines.join("\n");
}

function durations({ finding }: ToldScenario): string {
  const { duration_ms, last_pass } = finding!;
  const before = last_pass === null ? "" : ` (the last pass took ${seconds(last_pass.duration_ms)})`;
  return `${seconds(duration_ms)}${before}`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Whoever wrote the code reads the comment too. */
const BY_MEMBERS = "This code comes from a fork: members decide on the page, signed in.";

function decisionPart({ gate, links }: GateFacts): string {
  if (gate.decision !== null)
    return `**${gate.decision === "approved" ? "Approved" : "Rejected"} by ${proseOf(gate.decided_by ?? "somebody", 100)}**${gate.decided_at === null ? "" : ` at ${toIso(gate.decided_at).slice(0, 16).replace("T", " ")} UTC`}. That outweighs the verdict.`;
  if (links === null) return gate.is_fork === 1 && isVerdict(gate.status) ? BY_MEMBERS : "";
  const until = toIso(links.endAt).slice(11, 16);
  const approve = gate.status === "passed" ? "Approve" : "Approve all the same";
  return `[${approve}](${links.approve}) · [Reject](${links.reject}) (both until ${until} UTC; later on the page)`;
}
