import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { StorageAnswer } from "../../../server/trace/storage/model.ts";
import { api } from "../../api/calls.ts";
import { errorText } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAge, formatBytes } from "../../ui/format.ts";
import { Pin, Trash } from "../../ui/icons.tsx";
import { Status, TierMark } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useNow } from "../../ui/use-now.ts";

type Large = StorageAnswer["largest"][number];

const titleOf = (trace: Large): string => oneLine(trace.scenario_title || trace.scenario_slug, 120);

function RemoveDialog({
  trace,
  onClose,
  onDone,
}: {
  trace: Large;
  onClose: () => void;
  onDone: () => void;
}): JSX.Element {
  const isBusy = useSignal(false);
  const remove = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await api.remove(trace.id);
      notify("The trace is removed.");
      onDone();
    } catch (error) {
      notify(errorText(error), { isError: true });
    } finally {
      isBusy.value = false;
      onClose();
    }
  };
  return (
    <Dialog title="Remove this trace?" onClose={onClose}>
      <p>
        <span class="captured">{titleOf(trace)}</span>, {formatBytes(trace.total_size_bytes)}, with all its
        files. It cannot be brought back.
      </p>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="button is-primary" disabled={isBusy.value} onClick={() => void remove()}>
          Remove
        </button>
      </div>
    </Dialog>
  );
}

/** The traces that take the most, and what can be done about each. */
export function Largest({ traces, reload }: { traces: Large[]; reload: () => void }): JSX.Element {
  const asked = useSignal<Large | null>(null);
  const now = useNow(false);
  const pin = (trace: Large): void => {
    api
      .setPinned(trace.id, !trace.pinned)
      .then(reload)
      .catch((error) => notify(errorText(error), { isError: true }));
  };
  return (
    <>
      <table class="storage-table" aria-label="Largest traces">
        <thead>
          <tr>
            <th scope="col">Trace</th>
            <th scope="col">Status</th>
            <th scope="col" class="col-tier">
              Tier
            </th>
            <th scope="col" class="num">
              Age
            </th>
            <th scope="col" class="num">
              Size
            </th>
            <th scope="col">
              <span class="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {traces.map((trace) => (
            <tr key={trace.id}>
              <th scope="row" class="captured">
                <a href={`/traces/${trace.id}`}>{titleOf(trace)}</a>
              </th>
              <td>
                <Status status={trace.status} />
              </td>
              <td class="col-tier">
                <TierMark tier={trace.tier} />
              </td>
              <td class="num dim">{formatAge(trace.created_at, now)}</td>
              <td class="num">{formatBytes(trace.total_size_bytes)}</td>
              <td class="storage-acts">
                <button
                  type="button"
                  class={trace.pinned ? "icon-button pin is-on" : "icon-button pin"}
                  aria-pressed={trace.pinned}
                  aria-label={`${trace.pinned ? "Pinned:" : "Pin"} ${titleOf(trace)}`}
                  title={trace.pinned ? "Pinned: kept past its retention" : "Pin: keep past its retention"}
                  onClick={() => pin(trace)}
                >
                  <Pin />
                </button>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Remove ${titleOf(trace)}`}
                  title={trace.pinned ? "Unpin it first" : "Remove"}
                  disabled={trace.pinned}
                  onClick={() => {
                    asked.value = trace;
                  }}
                >
                  <Trash />
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {asked.value && (
        <RemoveDialog
          trace={asked.value}
          onClose={() => {
            asked.value = null;
          }}
          onDone={reload}
        />
      )}
    </>
  );
}
