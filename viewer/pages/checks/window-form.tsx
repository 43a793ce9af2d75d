import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { oneLine } from "../../ui/text.ts";
import type { Loaded } from "../../ui/use-load.ts";
import type { ScenarioChoices } from "../runs/api.ts";
import { checksApi, type Maintenance } from "./api.ts";
import { Problem, ZoneField } from "./form.tsx";

const ALL = "";
/** Those that a window is meant for already, when they are more than one: here they are kept, not chosen. */
const SEVERAL = "several";

function choiceOf(window: Maintenance | null): string {
  const ids = window?.scenarios ?? null;
  return ids === null ? ALL : ids.length === 1 ? ids[0]! : SEVERAL;
}

function ScenarioPicker({
  window,
  scenarios,
  value,
  onChange,
}: {
  window: Maintenance | null;
  scenarios: Loaded<ScenarioChoices>;
  value: string;
  onChange: (choice: string) => void;
}): JSX.Element {
  const known = choiceOf(window);
  const { data, error } = scenarios;
  const items = data?.items ?? [];
  const isKnownMissing = known !== ALL && known !== SEVERAL && !items.some(({ id }) => id === known);
  return (
    <>
      <label>
        Meant for
        <select
          class="select"
          name="scenario"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          <option value={ALL}>All scenarios</option>
          {known === SEVERAL && (
            <option value={SEVERAL}>{window!.scenarios!.length} scenarios, as now</option>
          )}
          {isKnownMissing && <option value={known}>One scenario, as now</option>}
          {items.map(({ id, title, slug }) => (
            <option key={id} value={id}>
              {oneLine(title || slug, 64)}
            </option>
          ))}
        </select>
      </label>
      {error !== null && <Problem text={`The scenarios could not be listed: ${errorText(error)}`} />}
      {data?.isCut && (
        <p class="dim">
          Only the first {items.length} scenarios can be chosen here. The API takes any of them, by id or
          slug.
        </p>
      )}
    </>
  );
}

/** Makes a maintenance window, or changes one. What it is meant for is only sent when somebody has chosen it. */
export function WindowForm({
  window: known,
  scenarios,
  onSaved,
  onClose,
}: {
  /** The one that is changed. */
  window: Maintenance | null;
  scenarios: Loaded<ScenarioChoices>;
  onSaved: () => void;
  onClose: () => void;
}): JSX.Element {
  const [isAgain, setAgain] = useState(known?.cron != null);
  const [timezone, setTimezone] = useState(
    known?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const [meant, setMeant] = useState(choiceOf(known));
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function save(form: HTMLFormElement): Promise<void> {
    const given = new FormData(form);
    const text = (name: string): string => String(given.get(name) ?? "").trim();
    const wanted = {
      name: text("name"),
      timezone: timezone.trim(),
      duration_minutes: Number(text("minutes")),
      ...(meant !== choiceOf(known) && { scenarios: meant === ALL ? null : [meant] }),
      ...(isAgain ? { cron: text("cron") } : { starts_at: text("starts_at").slice(0, 16) }),
    };
    setBusy(true);
    setProblem(null);
    try {
      await (known ? checksApi.updateWindow(known.id, wanted) : checksApi.createWindow(wanted));
      onSaved();
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  }
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
      <ScenarioPicker window={known} scenarios={scenarios} value={meant} onChange={setMeant} />
      <p class="dim">
        A beginning that clocks leave out in spring comes right after the gap; one that comes twice in autumn
        counts once, the first time.
      </p>
      <Problem text={problem} />
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button is-primary" disabled={isBusy}>
          {known ? "Save" : "Add"}
        </button>
      </div>
    </form>
  );
}
