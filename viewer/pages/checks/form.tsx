import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";
import { runsApi } from "../runs/api.ts";
import { type Check, checksApi } from "./api.ts";
import { NextFires } from "./parts.tsx";

const USUAL = { cron: "*/5 * * * *", timezone: "UTC" };
const EXPRESSIONS = ["* * * * *", "*/5 * * * *", "*/10 * * * *", "*/15 * * * *", "*/30 * * * *", "@hourly"];
const QUIET_MS = 400;

/** What was last typed, once nothing is typed for a moment. */
function useQuiet<T>(value: T): T {
  const [quiet, setQuiet] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), QUIET_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return quiet;
}

export function Problem({ text }: { text: string | null }): JSX.Element | null {
  if (!text) return null;
  return (
    <p class="is-failed captured" role="alert">
      {text}
    </p>
  );
}

/** The zones that the browser knows, UTC first. */
export function ZoneField({
  value,
  onInput,
}: {
  value: string;
  onInput: (zone: string) => void;
}): JSX.Element {
  const list = useId();
  return (
    <label>
      Time zone
      <input
        class="input"
        name="timezone"
        value={value}
        list={list}
        required
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <datalist id={list}>
        {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </label>
  );
}

/** Runs the preflight of a scenario and says what came of it. */
export function Preflight({ slug, onDone }: { slug: string; onDone: () => void }): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  async function run(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const answer = await checksApi.runPreflight(slug);
      if (answer.recorded) onDone();
      else setProblem(answer.reason ?? "It was not recorded.");
    } catch (error) {
      setProblem(errorText(error));
    }
    setBusy(false);
  }
  return (
    <div class="form">
      <p>
        Before a scenario is watched, it runs once: its target must be sent the header{" "}
        <code>X-Synthetic-Source</code> and its page see <code>window.__PRODUCT_SYNTHETIC__</code>, so that
        analytics and payments can tell these visits from customers.
      </p>
      <Problem text={problem} />
      <div class="dialog-foot">
        <button type="button" class="button is-primary" disabled={isBusy} onClick={() => void run()}>
          {isBusy ? "Running…" : "Run the preflight"}
        </button>
      </div>
    </div>
  );
}

/** Asks for a preflight where none is recorded. */
export function PreflightDialog({
  slug,
  onDone,
  onClose,
}: {
  slug: string;
  onDone: () => void;
  onClose: () => void;
}): JSX.Element {
  return (
    <Dialog title="Run the preflight" onClose={onClose} width="480px">
      <Preflight slug={slug} onDone={onDone} />
    </Dialog>
  );
}

/** Makes a check of a scenario, or changes one. */
export function CheckDialog({
  slug,
  check = null,
  onSaved,
  onClose,
}: {
  slug: string;
  /** The one that is changed. */
  check?: Check | null;
  onSaved: (check: Check) => void;
  onClose: () => void;
}): JSX.Element {
  const [isReady, setReady] = useState(check !== null);
  const state = useLoad(isReady ? null : slug, (signal) => checksApi.preflight(slug, signal));
  const isAsking = !isReady && state.data?.recorded === false;
  return (
    <Dialog title={check ? "Change the check" : "Watch this scenario"} onClose={onClose} width="480px">
      {isAsking ? (
        <Preflight slug={slug} onDone={() => setReady(true)} />
      ) : (
        <CheckForm slug={slug} check={check} onSaved={onSaved} onClose={onClose} />
      )}
      <Problem text={state.error ? errorText(state.error) : null} />
    </Dialog>
  );
}

function CheckForm({
  slug,
  check,
  onSaved,
  onClose,
}: {
  slug: string;
  check: Check | null;
  onSaved: (check: Check) => void;
  onClose: () => void;
}): JSX.Element {
  const [cron, setCron] = useState(check?.cron ?? USUAL.cron);
  const [timezone, setTimezone] = useState(check?.timezone ?? USUAL.timezone);
  const [chosen, choose] = useState<readonly string[] | null>(check?.regions ?? null);
  const [isShadow, setShadow] = useState(check?.shadow_prod ?? false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const expressions = useId();
  const now = useNow(true);
  const known = useLoad("regions", (signal) => runsApi.regions(signal));
  const names = known.data?.items.map(({ name }) => name) ?? [];
  const usual =
    known.data?.items.filter(({ is_default: isDefault }) => isDefault).map(({ name }) => name) ?? [];
  const regions = chosen ?? usual;
  const schedule = useQuiet({ cron: cron.trim(), timezone: timezone.trim() });
  async function save(): Promise<void> {
    setBusy(true);
    setProblem(null);
    const wanted = {
      cron: cron.trim(),
      timezone: timezone.trim(),
      regions: [...regions],
      shadow_prod: isShadow,
    };
    try {
      const saved = check
        ? await checksApi.update(check.id, wanted)
        : await checksApi.create({ scenario_id: slug, ...wanted });
      onSaved(saved);
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  }
  const toggle = (name: string, isOn: boolean): void =>
    choose(isOn ? [...regions, name] : regions.filter((region) => region !== name));
  return (
    <form
      class="form check-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="check-form-row">
        <label>
          Schedule (cron)
          <input
            class="input mono"
            name="cron"
            value={cron}
            list={expressions}
            required
            maxLength={200}
            autocomplete="off"
            spellcheck={false}
            autofocus
            onInput={(event) => setCron(event.currentTarget.value)}
          />
          <datalist id={expressions}>
            {EXPRESSIONS.map((expression) => (
              <option key={expression} value={expression} />
            ))}
          </datalist>
        </label>
        <ZoneField value={timezone} onInput={setTimezone} />
      </div>
      <div class="check-form-fires">
        <p class="dim">Next runs</p>
        <NextFires schedule={schedule} now={now} />
      </div>
      <fieldset class="check-form-regions">
        <legend>Regions</legend>
        {[...new Set([...names, ...(check?.regions ?? [])])].map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              name="region"
              value={name}
              checked={regions.includes(name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
            {oneLine(name, 64)}
          </label>
        ))}
      </fieldset>
      <label class="check-form-shadow">
        <input
          type="checkbox"
          name="shadow_prod"
          checked={isShadow}
          onChange={(event) => setShadow(event.currentTarget.checked)}
        />
        Look for drift from the clones
      </label>
      <Problem text={problem} />
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button is-primary" disabled={isBusy || regions.length === 0}>
          {check ? "Save" : "Watch"}
        </button>
      </div>
    </form>
  );
}
