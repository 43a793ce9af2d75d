import type { Frame, Locator, Page } from "playwright-core";
import { ElementMissing, StepFailure } from "../errors.ts";
import type { Target } from "../language/ast.ts";
import { ask } from "./ask.ts";
import { type ElementProbe, probeElements } from "./element-probe.ts";
import type { Deadline } from "./environment.ts";
import type { Found } from "./found.ts";
import { nearestOf } from "./near.ts";
import { exactLocatorOf, locatorOf, showTarget } from "./targets.ts";
import type { Values } from "./values.ts";

const MOST_SHOWN = 5;
const FRAME_MS = 500;
const POLL_MS = [5, 10, 20, 40, 60, 100];

interface Wait {
  values: Values;
  deadline: Deadline;
}

/**
 * The one element that a target means, in the page or in a frame of it, waiting for it to be there and visible.
 * @throws StepFailure when there is none in time, or when several fit
 */
export async function findElement(page: Page, target: Target, wait: Wait): Promise<Found> {
  const { frame, visible, seen } = await untilVisible(page, target, wait);
  if (target.near) {
    const anchor = await findElement(page, target.near, wait);
    const near = { target: target.near, locator: anchor.locator };
    const { locator, why } = await nearestOf({ target, candidates: visible, frame }, near);
    return { locator, frame, why, seen: await probeElements(locator) };
  }
  const where = frame === page.mainFrame() ? "on the page" : `in the frame ${frame.url()}`;
  if (seen.count === 1 || target.nth !== undefined)
    return { locator: visible.first(), frame, why: `It is the only one ${where}.`, seen };
  const exact = exactLocatorOf(frame, target, wait.values)?.filter({ visible: true });
  const alone = exact && (await probeElements(exact));
  if (alone?.count === 1)
    return {
      locator: exact!,
      frame,
      why: `Of ${seen.count} that fit, it alone is called exactly that.`,
      seen: alone,
    };
  if (seen.isOne)
    return { locator: visible.nth(seen.at), frame, why: "It is the innermost of those that hold it.", seen };
  throw new StepFailure(
    `${showTarget(target)} fits ${seen.count} elements: ${await describe(visible, seen.count)}. Add "in", "nth" or "near", or more of the name.`,
  );
}

/** The frame in which something fits, the page itself first. */
async function untilVisible(
  page: Page,
  target: Target,
  { values, deadline }: Wait,
): Promise<{ frame: Frame; visible: Locator; seen: ElementProbe }> {
  for (let poll = 0; ; poll++) {
    for (const frame of page.frames()) {
      const visible = locatorOf(frame, target, values).filter({ visible: true });
      // A frame within the page that does not answer must not keep what comes elsewhere from being found.
      const atMost = frame.parentFrame() ? FRAME_MS : undefined;
      const seen = await deadline.race(probeElements(visible), atMost);
      if (seen) return { frame, visible, seen };
    }
    if (deadline.isOver()) throw await missing(page, target, values, deadline);
    await deadline.pause(POLL_MS[poll] ?? 100);
  }
}

async function missing(page: Page, target: Target, values: Values, deadline: Deadline): Promise<StepFailure> {
  const all = locatorOf(page.mainFrame(), target, values);
  const hidden = (await deadline.race(ask<number>(all, COUNT))) ?? 0;
  const log = [`looked for ${all}`];
  if (hidden > 0)
    return new StepFailure(
      `${showTarget(target)} is there ${hidden === 1 ? "" : `${hidden} times `}but not visible.`,
      { log },
    );
  return new ElementMissing(`There is no ${showTarget(target)} on the page.`, { log });
}

const COUNT = "(elements) => elements.length";

/** The elements in few words. */
async function describe(all: Locator, count: number): Promise<string> {
  const shown =
    (await ask<string[]>(all, `(elements) => (${describeElements})(elements, ${MOST_SHOWN})`)) ?? [];
  return `${shown.join(", ")}${count > MOST_SHOWN ? " and others" : ""}`;
}

/** Runs in the page, so it refers to nothing outside itself. */
function describeElements(elements: Element[], most: number): string[] {
  return elements.slice(0, most).map((element) => {
    const id = element.id ? `#${element.id}` : "";
    const text = (element.getAttribute("aria-label") ?? element.textContent ?? "")
      .replace(/\s+/g, " ")
      .trim();
    return `${element.tagName.toLowerCase()}${id}${text ? ` “${text.slice(0, 40)}”` : ""}`;
  });
}
