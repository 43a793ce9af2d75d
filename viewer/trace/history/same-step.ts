import { filterRows, type RowList } from "../model/row-list.ts";

interface Step {
  step_id: string;
  title: string;
}

/**
 * The step of another attempt that does what a step of this one does: the same title, as many times after its like; else
 * the same id. Null when the other attempt never came so far.
 */
export function sameStep(step: Step, here: RowList<Step>, there: readonly Step[]): Step | null {
  const alike = (steps: RowList<Step>) => [...filterRows(steps, ({ title }) => title === step.title)];
  const place = alike(here).findIndex(({ step_id }) => step_id === step.step_id);
  return alike(there)[Math.max(0, place)] ?? there.find(({ step_id }) => step_id === step.step_id) ?? null;
}
