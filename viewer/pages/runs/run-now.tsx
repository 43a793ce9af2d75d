import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { navigate } from "../../router.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { type Region, runsApi } from "./api.ts";

function wordsOf({ name, locale, timezone }: Region): string {
  const place = [locale, timezone].filter((part) => part !== null).join(", ");
  return oneLine(place ? `${name} (${place})` : name, 120);
}

/** The regions there are, the wanted one chosen; one that is there no longer is told, and another has to be chosen. */
function RegionChoice({
  regions,
  wanted,
}: {
  /** Null until they are known. */
  regions: readonly Region[] | null;
  wanted: string | null;
}): JSX.Element {
  const [chosen, choose] = useState(wanted);
  const value = chosen ?? regions?.find(({ is_default: isDefault }) => isDefault)?.name ?? "";
  const isThere = regions?.some(({ name }) => name === value);
  return (
    <label>
      Region
      <select
        class="select"
        name="region"
        value={isThere ? value : ""}
        onChange={(event) => choose(event.currentTarget.value)}
        disabled={regions === null}
        required
      >
        {!isThere && (
          <option value="">{regions ? `${oneLine(value, 64)} is no region any more` : "Loading…"}</option>
        )}
        {regions?.map((region) => (
          <option key={region.name} value={region.name}>
            {wordsOf(region)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Asks where a scenario is to be run, runs it, and goes to the run. */
export function RunNow({
  slug,
  region = null,
  baseUrl,
  hasClones = false,
  isCompared = false,
  onClose,
}: {
  slug: string;
  /** Where the run before it was made; null for the usual one. */
  region?: string | null;
  baseUrl: string | null;
  /** Whether what its clones answer can be compared with production. */
  hasClones?: boolean;
  /** Whether the run before it compared them. */
  isCompared?: boolean;
  onClose: () => void;
}): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const regions = useLoad("regions", (signal) => runsApi.regions(signal));
  const told = problem ?? (regions.error ? errorText(regions.error) : null);
  async function begin(form: HTMLFormElement): Promise<void> {
    const given = new FormData(form);
    const url = String(given.get("baseUrl") ?? "").trim();
    setBusy(true);
    setProblem(null);
    try {
      const run = await runsApi.begin({
        scenarioId: slug,
        region: String(given.get("region")),
        ...(url && { baseUrl: url }),
        ...(given.has("compare") && { type: "shadow_diff" }),
      });
      navigate(run.type === "shadow_diff" ? `/shadow-diff/${run.id}` : `/runs/${run.id}`);
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  }
  return (
    <Dialog title="Run now" onClose={onClose}>
      <form
        class="run-now"
        onSubmit={(event) => {
          event.preventDefault();
          void begin(event.currentTarget);
        }}
      >
        <label>
          Address of the target
          <input
            class="input"
            name="baseUrl"
            type="url"
            pattern="https?://.*"
            placeholder={baseUrl ?? "https://"}
            defaultValue={baseUrl ?? ""}
            required={baseUrl === null}
            autocomplete="off"
            autofocus
          />
        </label>
        <RegionChoice regions={regions.data?.items ?? null} wanted={region} />
        {(hasClones || isCompared) && (
          <label class="run-compare">
            <input type="checkbox" name="compare" defaultChecked={isCompared} />
            Compare its clones with production: it runs three times
          </label>
        )}
        {told && (
          <p class="is-failed captured" role="alert">
            {told}
          </p>
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary" disabled={isBusy || !regions.data}>
            Run
          </button>
        </div>
      </form>
    </Dialog>
  );
}
