import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { navigate } from "../../router.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { runsApi } from "./api.ts";

const REGIONS = ["us-east-1", "eu-west-1", "ap-south-1", "us-west-2", "ap-southeast-1", "sa-east-1"];

/** Asks where a scenario is to be run, runs it, and goes to the run. */
export function RunNow({
  slug,
  region = REGIONS[0]!,
  baseUrl,
  hasClones = false,
  onClose,
}: {
  slug: string;
  region?: string;
  baseUrl: string | null;
  /** Whether what its clones answer can be compared with production. */
  hasClones?: boolean;
  onClose: () => void;
}): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function begin(form: HTMLFormElement): Promise<void> {
    const given = new FormData(form);
    const url = String(given.get("baseUrl") ?? "").trim();
    setBusy(true);
    setProblem(null);
    try {
      const run = await runsApi.begin({
        scenarioId: slug,
        region: String(given.get("region")).trim(),
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
        <label>
          Region
          <input
            class="input"
            name="region"
            list="run-regions"
            defaultValue={region}
            pattern="[a-z0-9\-]{1,40}"
            required
            autocomplete="off"
          />
        </label>
        <datalist id="run-regions">
          {REGIONS.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        {hasClones && (
          <label class="run-compare">
            <input type="checkbox" name="compare" />
            Compare its clones with production: it runs three times
          </label>
        )}
        {problem && (
          <p class="is-failed captured" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary" disabled={isBusy}>
            Run
          </button>
        </div>
      </form>
    </Dialog>
  );
}
