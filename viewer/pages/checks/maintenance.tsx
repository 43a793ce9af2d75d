import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useSignIn } from "../../ui/failing.ts";
import { formatDuration, formatWall } from "../../ui/format.ts";
import { ChevronLeft, Clock } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { runsApi } from "../runs/api.ts";
import { checksApi, type Maintenance } from "./api.ts";
import { Problem, ZoneField } from "./form.tsx";

const MINUTE_MS = 60_000;

/** The beginning as its zone shows it: `2026-11-24 02:00`, or cron. */
const beginsWords = ({ starts_at, cron, timezone }: Maintenance): string =>
  `${starts_at?.replace("T", " ") ?? cron} (${timezone})`;

function WindowForm({
  window: known,
  onSaved,
  onClose,
}: {
  window: Maintenance | null;
  onSaved: () => void;
  onClose: () => void;
}): JSX.Element {
  const [isAgain, setAgain] = useState(known?.cron != null);
  const [timezone, setTimezone] = useState(
    known?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const [problem, setProblem] = useState<string | null>(null);
  const scenarios = useLoad("scenarios", (signal) => runsApi.scenarios(signal));
  async function save(form: HTMLFormElement): Promise<void> {
    const given = new FormData(form);
    const text = (name: string): string => String(given.get(name) ?? "").trim();
    const one = text("scenario");
    const wanted = {
      name: text("name"),
      timezone: timezone.trim(),
      duration_minutes: Number(text("minutes")),
      scenarios: one === "" ? null : one === "several" ? (known?.scenarios ?? null) : [one],
      ...(isAgain ? { cron: text("cron") } : { starts_at: text("starts_at").slice(0, 16) }),
    };
    setProblem(null);
    try {
      await (known ? checksApi.updateWindow(known.id, wanted) : checksApi.createWindow(wanted));
      onSaved();
    } catch (error) {
      setProblem(errorText(error));
    }
  }
  const several = (known?.scenarios?.length ?? 0) > 1;
  return (
    <form
      class="form check-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(event.currentTarget);
      }}
    >
      <label>
        Name
        <input
          class="input"
          name="name"
          defaultValue={known?.name ?? ""}
          placeholder="Weekly deploy"
          required
          maxLength={200}
          autocomplete="off"
          autofocus
        />
      </label>
      <div class="check-form-row">
        <label>
          Comes
          <select
            class="select"
            value={isAgain ? "again" : "once"}
            onChange={(event) => setAgain(event.currentTarget.value === "again")}
          >
            <option value="once">Once</option>
            <option value="again">Again and again</option>
          </select>
        </label>
        {isAgain ? (
          <label>
            Begins (cron)
            <input
              key="cron"
              class="input mono"
              name="cron"
              defaultValue={known?.cron ?? "0 2 * * SUN"}
              required
              autocomplete="off"
              spellcheck={false}
            />
          </label>
        ) : (
          <label>
            Begins
            <input
              key="once"
              class="input"
              type="datetime-local"
              name="starts_at"
              defaultValue={known?.starts_at ?? ""}
              required
            />
          </label>
        )}
      </div>
      <div class="check-form-row">
        <label>
          Lasts (minutes)
          <input
            class="input num"
            type="number"
            name="minutes"
            min={1}
            max={10_080}
            defaultValue={String(known?.duration_minutes ?? 60)}
            required
          />
        </label>
        <ZoneField value={timezone} onInput={setTimezone} />
      </div>
      <label>
        Meant for
        <select
          key={scenarios.data ? "known" : "asked"}
          class="select"
          name="scenario"
          defaultValue={several ? "several" : (known?.scenarios?.[0] ?? "")}
        >
          <option value="">All scenarios</option>
          {several && <option value="several">{known!.scenarios!.length} scenarios, as now</option>}
          {scenarios.data?.items.map(({ id, title, slug }) => (
            <option key={id} value={id}>
              {oneLine(title || slug, 64)}
            </option>
          ))}
        </select>
      </label>
      <p class="dim">
        A beginning that clocks leave out in spring comes right after the gap; one that comes twice in autumn
        counts once, the first time.
      </p>
      <Problem text={problem} />
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button is-primary">
          {known ? "Save" : "Add"}
        </button>
      </div>
    </form>
  );
}

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
        Remove
      </button>
    </li>
  );
}

/** Times in which checks run and nothing is told. */
export function MaintenancePage(): JSX.Element {
  const revision = useSignal(0);
  const dialog = useSignal<{ window: Maintenance | null } | null>(null);
  const { data, error } = useLoad("windows", (signal) => checksApi.windows(signal), revision.value);
  const scenarios = useLoad("scenarios", (signal) => runsApi.scenarios(signal));
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
  const remove = ({ id }: Maintenance): void => {
    checksApi
      .removeWindow(id)
      .then(reload, (problem: unknown) => notify(errorText(problem), { isError: true }));
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
            onRemove={() => remove(window)}
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
          <span class="bar-space" />
          {data && data.items.length > 0 && (
            <button type="button" class="button is-primary" onClick={add}>
              Add a window
            </button>
          )}
        </div>
        {body()}
      </main>
      {dialog.value && (
        <Dialog
          title={dialog.value.window ? "Change the window" : "Add a maintenance window"}
          onClose={() => (dialog.value = null)}
          width="480px"
        >
          <WindowForm window={dialog.value.window} onSaved={reload} onClose={() => (dialog.value = null)} />
        </Dialog>
      )}
    </div>
  );
}
