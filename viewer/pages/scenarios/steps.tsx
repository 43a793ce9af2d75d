import type { JSX } from "preact";
import { formatDuration } from "../../ui/format.ts";
import { Message } from "../../ui/message.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { oneLine } from "../../ui/text.ts";
import type { Scenario } from "../runs/api.ts";

/** The parts of a compiled scenario that are shown. */
interface Compiled {
  base_url: string | null;
  timeout_ms: number;
  clones: { service: string; match: string }[];
  steps: { id: string; source: string; from: string | null; at: { file: string; line: number } }[];
}

function facts(scenario: Scenario, compiled: Compiled): (readonly [string, string])[] {
  const { schedule, mender, covers } = scenario as Scenario & {
    schedule: { cron: string; timezone: string; regions: string[] } | null;
    mender: { mode: string; cache: string } | null;
  };
  return [
    ["File", oneLine(scenario.path ?? "–", 300)],
    ["Target", oneLine(compiled.base_url ?? "given with each run", 300)],
    ["Longest run", formatDuration(compiled.timeout_ms)],
    ...(covers.length > 0 ? [["Covers", covers.map((glob) => oneLine(glob, 100)).join(", ")] as const] : []),
    ...(schedule
      ? [["Schedule", `${schedule.cron} (${schedule.timezone}), ${schedule.regions.join(", ")}`] as const]
      : []),
    ...(mender ? [["Mender", `${mender.mode}, cache ${mender.cache}`] as const] : []),
    ...(compiled.clones.length > 0
      ? [["Clones", compiled.clones.map(({ service }) => service).join(", ")] as const]
      : []),
  ];
}

/** What a scenario does, step by step, as its file says it. */
export function ScenarioSteps({ scenario }: { scenario: Scenario }): JSX.Element {
  const compiled = scenario.compiled as Compiled | null;
  if (!compiled)
    return (
      <Message title="Only traces name this scenario.">
        <p class="dim">
          Its file has not been loaded, so it cannot be run here:
          <code class="command">tracedeck scenarios sync scenarios/</code>
        </p>
      </Message>
    );
  return (
    <ScrollPane label="Steps" class="scenario-steps">
      {scenario.missing && (
        <p class="notice is-error">
          Its file was gone when the folder was last loaded. What stands here is as it was before.
        </p>
      )}
      <dl class="run-facts">
        {facts(scenario, compiled).map(([name, value]) => (
          <div key={name}>
            <dt class="dim">{name}</dt>
            <dd class="captured">{value}</dd>
          </div>
        ))}
      </dl>
      <ol class="scenario-step-list">
        {compiled.steps.map((step, index) => (
          <li key={step.id}>
            <span class="num dim">{index + 1}</span>
            <code class="captured">{oneLine(step.source, 600)}</code>
            <span class="dim captured">
              {step.from !== null && `${oneLine(step.from, 64)}, `}line {step.at.line}
            </span>
          </li>
        ))}
      </ol>
    </ScrollPane>
  );
}
