import type { JSX } from "preact";
import { formatAgo, formatWall } from "../../ui/format.ts";
import { Clock, Play, Warning } from "../../ui/icons.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { isOver, type Replay } from "./api.ts";

/** How a replay stands: the verdict of its scenario once it has one, else what it waits for or was stopped by. */
function Standing({ replay }: { replay: Replay }): JSX.Element {
  if (replay.status === "succeeded" && replay.replay_trace_status)
    return <Status status={replay.replay_trace_status} />;
  const failed = replay.status === "failed";
  const tone = failed ? "is-error" : replay.status === "running" ? "is-running" : "is-quiet";
  return (
    <span class={`status ${tone}`}>
      {failed ? <Warning /> : replay.status === "running" ? <Play /> : <Clock />}
      <span class="status-word">
        {failed ? "Not carried out" : replay.status === "running" ? "Running" : "Waiting"}
      </span>
    </span>
  );
}

interface ReplayListProps {
  traceId: string;
  replays: readonly Replay[];
  onCancel: (replay: Replay) => void;
}

/** A trace's replays, newest first, each with the ways to what came of it. */
export function ReplayList({ traceId, replays, onCancel }: ReplayListProps): JSX.Element {
  return (
    <ul class="replays" aria-label="Replays of this trace">
      {replays.map((replay) => (
        <li key={replay.id}>
          <Standing replay={replay} />
          <span class="replay-facts dim">
            from step {replay.from_step}
            {replay.has_edits && ", edited"}
            {", "}
            <span title={formatWall(replay.created_at)}>{formatAgo(replay.created_at, Date.now())}</span>
          </span>
          <span class="replay-ways">
            {!isOver(replay) && (
              <button type="button" class="link-button" onClick={() => onCancel(replay)}>
                Cancel
              </button>
            )}
            {replay.replay_trace_id && (
              <>
                <a href={`/traces/${replay.replay_trace_id}`}>Open</a>
                {isOver(replay) && <a href={`/compare?a=${traceId}&b=${replay.replay_trace_id}`}>Compare</a>}
              </>
            )}
          </span>
          {replay.error && <span class="replay-error captured">{oneLine(replay.error.message, 400)}</span>}
        </li>
      ))}
    </ul>
  );
}
