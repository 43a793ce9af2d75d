import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { Clock } from "../../ui/icons.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";
import { type Check, checksApi } from "../checks/api.ts";
import { CheckDialog, Problem } from "../checks/form.tsx";
import { CheckState, LastRuns, NextFires, scheduleWords } from "../checks/parts.tsx";
import { NoScenario, type StepProps } from "./step.tsx";

function Known({ check, onChanged }: { check: Check; onChanged: () => void }): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null);
  const now = useNow(true);
  const switchOn = (): void =>
    void checksApi
      .update(check.id, { enabled: true })
      .then(onChanged, (error: unknown) => setProblem(errorText(error)));
  return (
    <>
      <p class="start-check">
        <CheckState check={check} />
        <a href={`/checks/${check.id}`}>{scheduleWords(check)}</a>
        <LastRuns check={check} />
      </p>
      {check.enabled ? (
        <>
          <p class="dim">Next runs</p>
          <NextFires schedule={check} now={now} />
        </>
      ) : (
        <button type="button" class="button is-primary" onClick={switchOn}>
          <Clock /> Switch it on
        </button>
      )}
      <Problem text={problem} />
    </>
  );
}

/** Makes the check of the scenario, or switches on the one that its file asks for. */
export function CheckStep({ scenario, onChanged }: StepProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const [revision, setRevision] = useState(0);
  const slug = scenario?.slug ?? null;
  const { data, error } = useLoad(
    slug,
    (signal) => checksApi.list({ scenario: slug ?? "", limit: 1 }, signal),
    revision,
  );
  if (!scenario) return <NoScenario />;
  const changed = (): void => {
    setRevision((was) => was + 1);
    onChanged();
  };
  const check = data?.items[0];
  return (
    <>
      <p class="dim">Every five minutes unless you say otherwise, from one region or from several.</p>
      {check ? (
        <Known check={check} onChanged={changed} />
      ) : (
        <div class="start-acts">
          <button type="button" class="button is-primary" disabled={!data} onClick={() => setAsking(true)}>
            <Clock /> Watch it
          </button>
          <code class="command">tracedeck checks create {scenario.slug}</code>
        </div>
      )}
      <Problem text={error ? errorText(error) : null} />
      {isAsking && (
        <CheckDialog
          slug={scenario.slug}
          onSaved={() => {
            setAsking(false);
            changed();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
