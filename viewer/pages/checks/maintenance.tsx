import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useSignIn } from "../../ui/failing.ts";
import { formatDuration, formatWall } from "../../ui/format.ts";
import { ChevronLeft, Clock } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { runsApi } from "../runs/api.ts";
import { checksApi, type Maintenance } from "./api.ts";
import { WindowForm } from "./window-form.tsx";

const MINUTE_MS = 60_000;

/** The beginning as its zone shows it: `2026-11-24 02:00`, or cron. */
const beginsWords = ({ starts_at, cron, timezone }: Maintenance): string =>
  `${starts_at?.replace("T", " ") ?? cron} (${timezone})`;

function Row({
  window,
  titles,
  onEdit,
  onRemove,
}: {
  window: Maintenance;
  titles: ReadonlyMap<string, string>;
  onEdit: () => void;
  onRemove: () => void;
}): JSX.Element {
  const { name, active, next, scenarios, duration_minutes } = window;
  const first = next[0];
  const state = active
    ? `Goes on until ${formatWall(first!.to)}`
    : first
      ? `Next ${formatWall(first.from)}`
      : "Over";
  const meant = scenarios?.map((id) => oneLine(titles.get(id) ?? id, 64)).join(", ") ?? "All scenarios";
  return (
    <li class="window">
      <div class="window-text">
        <strong class="captured">{name}</strong>
        <span class={active ? "is-error" : "dim"}>{state}</span>
        <span class="dim">
          {beginsWords(window)}, for {formatDuration(duration_minutes * MINUTE_MS)} · {meant}
        </span>
      </div>
      <button type="button" class="button" onClick={onEdit}>
        Edit
      </button>
      <button type="button" class="button" onClick={onRemove}>
        Remove…
      </button>
    </li>
  );
}

/** Times in which checks run and nothing is told. */
export function MaintenancePage(): JSX.Element {
  const revision = useSignal(0);
  const dialog = useSignal<{ window: Maintenance | null } | null>(null);
  const removal = useSignal<Maintenance | null>(null);
  const { data, error } = useLoad("windows", (signal) => checksApi.windows(signal), revision.value);
  const scenarios = useLoad("scenarios", (signal) => runsApi.allScenarios(signal));
  const titles = new Map(scenarios.data?.items.map(({ id, title, slug }) => [id, title || slug]));
  useEffect(() => {
    document.title = "Maintenance windows · Tracedeck";
  }, []);
  useSignIn(error);
  const reload = (): void => {
    dialog.value = null;
    revision.value += 1;
  };
  const add = (): void => {
    dialog.value = { window: null };
  };
  const remove = async ({ id }: Maintenance): Promise<void> => {
    await checksApi.removeWindow(id);
    reload();
  };
  const body = (): JSX.Element => {
    if (error) return <Failed error={error} retry={reload} />;
    if (!data) return <Loading label="Loading the windows" />;
    if (data.items.length === 0)
      return (
        <Message icon={<Clock />} title="No maintenance window.">
          <p class="dim">
            While a window goes on, checks run and nothing is told. What still fails when it ends is told
            then.
          </p>
          <button type="button" class="button is-primary" onClick={add}>
            Add a window
          </button>
        </Message>
      );
    return (
      <ul class="windows" aria-label="Maintenance windows">
        {data.items.map((window) => (
          <Row
            key={window.id}
            window={window}
            titles={titles}
            onEdit={() => (dialog.value = { window })}
            onRemove={() => (removal.value = window)}
          />
        ))}
      </ul>
    );
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main">
        <div class="subbar scenario-title">
          <a class="icon-link" href="/checks" aria-label="All checks" title="All checks">
            <ChevronLeft />
          </a>
          <h1 class="ellipsis">Maintenance windows</h1>
          <div class="title-acts">
            {data && data.items.length > 0 && (
              <button type="button" class="button is-primary" onClick={add}>
                Add a window
              </button>
            )}
          </div>
        </div>
        {scenarios.error !== null && (
          <p class="notice is-failed captured" role="alert">
            {`The scenarios could not be listed: ${errorText(scenarios.error)}`}
          </p>
        )}
        {body()}
      </main>
      {dialog.value && (
        <Dialog
          title={dialog.value.window ? "Change the window" : "Add a maintenance window"}
          onClose={() => (dialog.value = null)}
          width="480px"
        >
          <WindowForm
            window={dialog.value.window}
            scenarios={scenarios}
            onSaved={reload}
            onClose={() => (dialog.value = null)}
          />
        </Dialog>
      )}
      {removal.value && (
        <Confirm
          title="Remove the window?"
          word="Remove"
          onConfirm={() => remove(removal.peek()!)}
          onClose={() => (removal.value = null)}
        >
          <p>
            <strong class="captured">{removal.value.name}</strong> comes no more.
            {removal.value.active && " It goes on now: what fails is told again from here on."}
          </p>
        </Confirm>
      )}
    </div>
  );
}
