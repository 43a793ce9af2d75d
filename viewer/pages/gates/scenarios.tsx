import type { JSX } from "preact";
import { inWords } from "../../../server/trace/format/step-words.ts";
import { formatDuration } from "../../ui/format.ts";
import { CheckCircle } from "../../ui/icons.tsx";
import { Status } from "../../ui/status.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { type GateAnswer, type GateScenario, loadPicture } from "./api.ts";
import { ruleWord } from "./signs.tsx";

type Finding = NonNullable<GateScenario["finding"]>;

const LONGEST = 600;
const MOST_REASONS = 5;

const traceHref = ({ trace_id, failed_step }: Finding): string =>
  `/traces/${trace_id}${failed_step ? `?step=${encodeURIComponent(failed_step.step_id)}` : ""}`;

function Picture({ finding }: { finding: Finding }): JSX.Element | null {
  const { trace_id: id } = finding;
  const { data } = useLoad(id ?? "", async (signal) => (id === null ? null : loadPicture(id, signal)));
  if (!data) return null;
  return (
    <a class="gate-picture" href={traceHref(finding)} title="Open the trace at its failed step">
      <img src={data} alt="The page when it failed" />
    </a>
  );
}

/** What is known of a failure beside this gate: what is not laid to the commit says so first. */
function Known({ finding }: { finding: Finding }): JSX.Element | null {
  if (finding.known.length === 0) return null;
  return (
    <ul class="gate-known">
      {finding.known.map(({ kind, is_same, text, run_id, incident_id }) => (
        <li key={kind} class={is_same ? "is-known" : "dim"}>
          {text}{" "}
          {incident_id ? (
            <a href={`/incidents/${incident_id}`}>The incident</a>
          ) : (
            run_id && <a href={`/runs/${run_id}`}>The run</a>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The way to the patch that a replay has verified. */
function Fix({ scenario: { fix } }: { scenario: GateScenario }): JSX.Element | null {
  if (fix === null) return null;
  return (
    <p class="gate-fix">
      <CheckCircle class="is-passed" /> <a href={`/mender/${fix.attempt_id}`}>A fix is verified</a>
      {fix.status === "applied" && <span class="dim"> and proposed to the repository</span>}
    </p>
  );
}

function Why({ scenario }: { scenario: GateScenario }): JSX.Element {
  const { reasons } = scenario;
  const told = reasons.slice(0, MOST_REASONS);
  return (
    <ul class="gate-reasons dim">
      {told.map(({ path, rule }) => (
        <li key={path}>
          {path !== null && <span class="mono captured">{oneLine(path, 200)}</span>} {ruleWord(rule)}
        </li>
      ))}
      {reasons.length > told.length && <li>and {reasons.length - told.length} more paths</li>}
    </ul>
  );
}

/** A scenario that failed, or could not be run: its cause first. */
export function Failure({ scenario }: { scenario: GateScenario }): JSX.Element {
  const finding = scenario.finding!;
  const { outcome, headline, failed_step, differs, last_pass, duration_ms, trace_id, run_id } = finding;
  const sign = outcome === "error" ? "error" : "failed";
  return (
    <article class="gate-failure" aria-label={oneLine(scenario.title, 200)}>
      <header>
        <Status status={sign} />
        <h2 class="ellipsis captured">
          <a href={`/scenarios/${scenario.slug}`}>{oneLine(scenario.title, 200)}</a>
        </h2>
        {!finding.blocks && outcome === "failed" && <span class="gate-mark">not laid to this commit</span>}
        <span class="bar-space" />
        <span class="num dim">{formatDuration(duration_ms)}</span>
      </header>
      <div class="gate-failure-body">
        <div class="gate-cause">
          <p class="cause-headline">
            <a class="cause-link captured" href={trace_id === null ? `/runs/${run_id}` : traceHref(finding)}>
              {block(inWords(headline ?? "It failed."), LONGEST)}
            </a>
          </p>
          {failed_step && (
            <p class="dim">
              <span class="mono captured">{oneLine(failed_step.title, 200)}</span>{" "}
              <span class="captured">
                {oneLine(failed_step.path, 200)}:{failed_step.line}
              </span>
            </p>
          )}
          <Known finding={finding} />
          <Fix scenario={scenario} />
          {differs.length > 0 && (
            <p class="captured">
              New since the last pass: {differs.map((one) => oneLine(one, 200)).join("; ")}
            </p>
          )}
          {last_pass && trace_id && (
            <p>
              <a href={`/compare?a=${last_pass.trace_id}&b=${trace_id}`}>Compare with the last pass</a>{" "}
              <span class="dim">which took {formatDuration(last_pass.duration_ms)}</span>
            </p>
          )}
          <Why scenario={scenario} />
        </div>
        {outcome === "failed" && <Picture finding={finding} />}
      </div>
    </article>
  );
}

function stateOf({ finding, withheld, run_status }: GateScenario): JSX.Element {
  if (withheld) return <Status status="not_run" />;
  return <Status status={finding ? "passed" : (run_status ?? "queued")} />;
}

interface OthersProps {
  scenarios: readonly GateScenario[];
  /** Whether there are no others. */
  isAll: boolean;
}

/** The scenarios that are nobody's worry: passed, still running, or not run. */
export function Others({ scenarios, isAll }: OthersProps): JSX.Element | null {
  if (scenarios.length === 0) return null;
  const noun = `${isAll ? "" : "other "}scenario${scenarios.length === 1 ? "" : "s"}`;
  return (
    <section aria-label={isAll ? "Scenarios" : "Other scenarios"}>
      <h2 class="run-part-head">
        {scenarios.length} {noun}
      </h2>
      <ul class="gate-others">
        {scenarios.map((one) => (
          <li key={one.slug}>
            <span class="gate-others-status">{stateOf(one)}</span>
            <div>
              <a
                class="captured"
                href={
                  one.finding?.trace_id
                    ? `/traces/${one.finding.trace_id}`
                    : one.run_id
                      ? `/runs/${one.run_id}`
                      : `/scenarios/${one.slug}`
                }
              >
                {oneLine(one.title, 200)}
              </a>
              {one.withheld && <p>{one.withheld}</p>}
              <Why scenario={one} />
            </div>
            <span class="num dim">{one.finding ? formatDuration(one.finding.duration_ms) : ""}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Scenario files of the commit that do not compile. */
export function Problems({ gate }: { gate: GateAnswer }): JSX.Element | null {
  if (gate.problems.length === 0) return null;
  return (
    <section aria-label="Files that do not compile">
      <h2 class="run-part-head">Files that do not compile</h2>
      <ul class="gate-problems">
        {gate.problems.map(({ path, line, column, message, isNew }) => (
          <li key={`${path}:${line}:${column}`}>
            <span class="mono captured">
              {oneLine(path, 200)}:{line}:{column}
            </span>{" "}
            <span class="captured">{oneLine(message, LONGEST)}</span>
            {!isNew && <span class="dim"> The file did not compile before this change either.</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
