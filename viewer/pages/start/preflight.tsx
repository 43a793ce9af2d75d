import type { JSX } from "preact";
import { Preflight } from "../checks/form.tsx";
import { NoScenario, type StepProps } from "./step.tsx";

/** The run that shows that the site is told who visits. */
export function PreflightStep({ scenario, isDone, onChanged }: StepProps): JSX.Element {
  if (!scenario) return <NoScenario />;
  return (
    <>
      {isDone && <p>It is recorded in the audit log. Every scenario that is watched has one of its own.</p>}
      <Preflight slug={scenario.slug} onDone={onChanged} />
    </>
  );
}
