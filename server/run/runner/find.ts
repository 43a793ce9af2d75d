import type { Page } from "playwright-core";
import { ElementMissing, StepFailure } from "../errors.ts";
import type { Target } from "../language/ast.ts";
import type { Found } from "./found.ts";
import { countThere, FrameSilent, SeveralFit, seekElement, type Wait } from "./seek.ts";
import { showTarget } from "./targets.ts";

const POLL_MS = [5, 10, 20, 40, 60, 100];

/**
 * The one element that a target means, in the page or in a frame of it, waiting for it to be there and visible.
 * @throws StepFailure when there is none in time, or when several fit
 */
export async function findElement(page: Page, target: Target, wait: Wait): Promise<Found> {
  const { deadline } = wait;
  for (let poll = 0; ; poll++) {
    const found = await deadline.race(seekNow(page, target, wait));
    if (found && !(found instanceof StepFailure)) return found;
    if (deadline.isOver()) throw found ?? (await missing(page, target, wait));
    await deadline.pause(POLL_MS[poll] ?? 100);
  }
}

/** What its "in" and "near" mean may still be on its way, or be there twice for a moment: that is no failure yet. Null when nothing fits. */
async function seekNow(page: Page, target: Target, wait: Wait): Promise<Found | StepFailure | null> {
  try {
    return await seekElement(page, target, wait);
  } catch (error) {
    const isFinal = error instanceof SeveralFit && error.target === target;
    if (isFinal || !(error instanceof StepFailure)) throw error;
    return error instanceof FrameSilent ? null : error;
  }
}

async function missing(page: Page, target: Target, wait: Wait): Promise<StepFailure> {
  const there = await wait.deadline.race(countThere(page, target, wait));
  const { count, locators } = there ?? { count: 0, locators: [] };
  const log = locators.map((one) => `looked for ${one}`);
  if (count > 0)
    return new StepFailure(
      `${showTarget(target)} is there ${count === 1 ? "" : `${count} times `}but not visible.`,
      { log },
    );
  return new ElementMissing(`There is no ${showTarget(target)} on the page.`, { log });
}
