import type { JSX } from "preact";
import { setQuery } from "../../router.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { Swap } from "../../ui/icons.tsx";
import { Status, TierMark } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { useNow } from "../../ui/use-now.ts";
import type { Trace } from "./model.ts";

/** Changes the sides; the chosen item has another name then. */
export function swapSides(a: string, b: string): void {
  setQuery({ a: b, b: a, item: null, change: null }, { replace: true });
}

function Head({
  side,
  trace,
  other,
  onChoose,
}: {
  side: "A" | "B";
  trace: Trace | null;
  other: Trace | null;
  onChoose: () => void;
}): JSX.Element {
  const now = useNow(false);
  if (!trace) return <div class="compare-head" aria-busy="true" />;
  const title = oneLine(trace.scenario_title || trace.scenario_slug, 200);
  const at = trace.started_at ?? trace.created_at;
  const delta = side === "B" && other ? trace.duration_ms - other.duration_ms : 0;
  const sha = oneLine(trace.code_sha ?? "").slice(0, 8);
  return (
    <section class="compare-head" aria-label={`Trace ${side}`}>
      <span class={`side side-${side.toLowerCase()}`} aria-hidden="true">
        {side}
      </span>
      <div class="compare-head-text">
        <div class="compare-head-line">
          <Status status={trace.status} />
          <a class="ellipsis captured" href={`/traces/${trace.id}`} title={title}>
            {title}
          </a>
        </div>
        <div class="compare-head-line dim">
          <span title={formatWall(at)}>{formatAge(at, now)}</span>
          <span class="num">{formatDuration(trace.duration_ms)}</span>
          {Math.abs(delta) >= 1 && trace.duration_ms > 0 && other && other.duration_ms > 0 && (
            <span class="num">{signedDuration(delta)}</span>
          )}
          {sha && (
            <span class="mono captured" title="Commit">
              {sha}
            </span>
          )}
          {trace.tier !== "hot" && <TierMark tier={trace.tier} />}
          <span class="ellipsis captured">
            {trace.failure_message ? failureLine(trace.failure_message) : ""}
          </span>
        </div>
      </div>
      <button
        type="button"
        class="button"
        aria-label={`Other… for ${side}`}
        title={`Another trace of the scenario for ${side}`}
        onClick={onChoose}
      >
        Other…
      </button>
    </section>
  );
}

/** `+1.20 s`, `−40 ms`. */
export function signedDuration(ms: number): string {
  return `${ms < 0 ? "−" : "+"}${formatDuration(Math.abs(ms))}`;
}

/** Which two traces these are. */
export function Heads({
  a,
  b,
  left,
  right,
  onChoose,
}: {
  a: string;
  b: string;
  left: Trace | null;
  right: Trace | null;
  onChoose: (side: "a" | "b") => void;
}): JSX.Element {
  return (
    <div class="compare-heads">
      <Head side="A" trace={left} other={right} onChoose={() => onChoose("a")} />
      <button
        type="button"
        class="icon-button"
        aria-label="Swap the sides"
        title="Swap the sides ( x )"
        onClick={() => swapSides(a, b)}
      >
        <Swap />
      </button>
      <Head side="B" trace={right} other={left} onChoose={() => onChoose("b")} />
    </div>
  );
}
