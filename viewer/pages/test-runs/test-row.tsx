import type { JSX } from "preact";
import { inWords } from "../../../server/trace/format/step-words.ts";
import { formatDuration } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import type { TestOfRun } from "./api.ts";
import { traceOf } from "./narrow-tests.ts";
import { ChangeBadge, OutcomeMark } from "./signs.tsx";

/** Titles of the suites and the test on one line; the test's own stands out. */
export function TestTitle({ test }: { test: TestOfRun }): JSX.Element {
  const titles = test.title_path.map((title) => oneLine(title, 300)).filter((title) => title !== "");
  return (
    <>
      {titles.length > 1 && <span class="dim">{titles.slice(0, -1).join(" › ")} › </span>}
      {titles.at(-1) ?? oneLine(test.file, 300)}
    </>
  );
}

/** The attempts of a test that was tried more than once, each a link to its trace where it left one. */
function Attempts({ test }: { test: TestOfRun }): JSX.Element | null {
  if (test.attempts.length < 2) return null;
  return (
    <span class="test-attempts">
      {test.attempts.map(({ attempt, status, trace_id, duration_ms }) => {
        const words = `Attempt ${attempt}: ${status.replace("_", " ")}, ${formatDuration(duration_ms)}`;
        const tone = status === test.expected ? "is-passed" : status === "skipped" ? "is-quiet" : "is-failed";
        const sign = <span class={tone}>{status === test.expected ? "✓" : "✕"}</span>;
        return trace_id === null ? (
          <span key={attempt} class="test-attempt" title={`${words}, no trace`} role="img" aria-label={words}>
            {sign}
          </span>
        ) : (
          <a
            key={attempt}
            class="test-attempt over-row"
            href={`/traces/${trace_id}`}
            title={words}
            aria-label={words}
          >
            {sign}
          </a>
        );
      })}
    </span>
  );
}

function Annotations({ test }: { test: TestOfRun }): JSX.Element | null {
  const told = test.annotations.filter(({ type }) => type !== "tracedeck");
  if (told.length === 0 && test.expected !== "failed") return null;
  return (
    <span class="test-notes dim captured">
      {test.expected === "failed" && test.outcome === "passed" && "failed as expected"}
      {told.map(({ type, description }) => {
        const words = oneLine(description ? `${type}: ${description}` : type, 300);
        const isLink = description !== null && /^https?:\/\/\S+$/.test(description);
        return isLink ? (
          <a key={words} class="over-row" href={description} rel="noreferrer noopener" target="_blank">
            {words}
          </a>
        ) : (
          <span key={words}>{words}</span>
        );
      })}
    </span>
  );
}

/** One test with all its attempts. */
export function TestRow({
  test,
  isActive,
  hasFile = false,
}: {
  test: TestOfRun;
  isActive: boolean;
  /** Where its file does not stand above it. */
  hasFile?: boolean;
}): JSX.Element {
  const trace = traceOf(test);
  const title = (
    <span class="captured">
      <TestTitle test={test} />
    </span>
  );
  return (
    <li
      class={`test-row${isActive ? " is-active" : ""}`}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: "nearest" });
      }}
    >
      <OutcomeMark outcome={test.outcome} />
      <div class="test-words">
        <div class="test-line">
          {trace ? (
            <a class="row-link" href={`/traces/${trace}`}>
              {title}
            </a>
          ) : (
            title
          )}
          <ChangeBadge change={test.change} />
          {test.project !== "" && <span class="test-badge captured">{oneLine(test.project, 60)}</span>}
          {test.tags.map((tag) => (
            <span key={tag} class="test-tag dim captured">
              {oneLine(tag, 60)}
            </span>
          ))}
          <Attempts test={test} />
        </div>
        {test.headline !== null && (
          <div class={`test-why captured ${test.outcome === "failed" ? "is-failed" : "dim"}`}>
            {oneLine(inWords(test.headline), 300)}
          </div>
        )}
        <Annotations test={test} />
        {hasFile && (
          <div class="dim captured mono test-place">
            {oneLine(test.file, 300)}:{test.line}
          </div>
        )}
      </div>
      <span class="num dim">{test.outcome === "not_run" ? "" : formatDuration(test.duration_ms)}</span>
    </li>
  );
}
