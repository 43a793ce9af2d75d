import type { JSX } from "preact";
import type { TraceListItem } from "../../api/answers.ts";
import { api } from "../../api/calls.ts";
import { setQuery } from "../../router.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";

const MOST = 100;

function Row({ item, onChoose }: { item: TraceListItem; onChoose: () => void }): JSX.Element {
  return (
    <li>
      <button type="button" class="line-button compare-choice" onClick={onChoose}>
        <Status status={item.status} />
        <span class="ellipsis captured dim">
          {item.failure_message ? failureLine(item.failure_message) : ""}
        </span>
        <span class="mono dim captured">{oneLine(item.code_sha ?? "").slice(0, 8)}</span>
        <span class="num dim">{formatDuration(item.duration_ms)}</span>
        <span class="num dim" title={formatWall(item.created_at)}>
          {formatAge(item.created_at, Date.now())}
        </span>
      </button>
    </li>
  );
}

/** The other traces of a scenario, newest first. */
export function TracesOfScenario({
  scenarioId,
  without,
  onChoose,
}: {
  scenarioId: string;
  without: string | null;
  onChoose: (id: string) => void;
}): JSX.Element {
  const { data, error } = useLoad(scenarioId, (signal) =>
    api.list({ scenario_id: scenarioId, limit: MOST }, signal),
  );
  if (error) return <Failed error={error} />;
  if (!data) return <Loading label="Loading the traces of the scenario" />;
  const others = data.items.filter(({ id }) => id !== without);
  if (others.length === 0) return <Message title="The scenario has no other trace." />;
  return (
    <>
      <ul class="compare-choices" aria-label="Traces of the scenario">
        {others.map((item) => (
          <Row key={item.id} item={item} onChoose={() => onChoose(item.id)} />
        ))}
      </ul>
      {data.next_cursor && (
        <p class="dim">These are the newest {MOST}. Older ones can be chosen in the list of traces.</p>
      )}
    </>
  );
}

/** Asks for the trace of one side. */
export function ChooseDialog({
  side,
  scenarioId,
  other,
  onClose,
}: {
  side: "a" | "b";
  scenarioId: string;
  /** The trace of the other side, which is not offered. */
  other: string;
  onClose: () => void;
}): JSX.Element {
  return (
    <Dialog title={`Which trace for ${side.toUpperCase()}?`} onClose={onClose} width="640px">
      <TracesOfScenario
        scenarioId={scenarioId}
        without={other}
        onChoose={(id) => {
          onClose();
          setQuery({ [side]: id, item: null, change: null });
        }}
      />
    </Dialog>
  );
}
