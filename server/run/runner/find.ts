import { errors, type Frame, type Locator, type Page } from "playwright-core";
import type { Target } from "../language/ast.ts";
import { ElementMissing, StepFailure } from "./failure.ts";
import { nearestOf } from "./near.ts";
import { exactLocatorOf, locatorOf, showTarget } from "./targets.ts";
import type { Values } from "./values.ts";

export interface Found {
  locator: Locator;
  /** How it was found, in a sentence. */
  why: string;
}

const MOST_SHOWN = 5;

interface Wait {
  values: Values;
  remaining: () => number;
}

/** How long the page itself is waited for before its frames are looked into: the first time, and again. */
const FRAMES_FIRST_MS = 20;
const FRAMES_EVERY_MS = 100;

/**
 * The one element that a target means, in the page or in a frame of it, waiting for it to be there and visible.
 * @throws StepFailure when there is none in time, or when several fit
 */
export async function findElement(page: Page, target: Target, wait: Wait): Promise<Found> {
  const { frame, visible } = await untilVisible(page, target, wait);
  const count = await visible.count();
  if (target.near) {
    const anchor = await findElement(page, target.near, wait);
    return nearestOf(
      { target, candidates: visible, frame },
      { target: target.near, locator: anchor.locator },
    );
  }
  const where = frame === page.mainFrame() ? "on the page" : `in the frame ${frame.url()}`;
  if (count === 1 || target.nth !== undefined)
    return { locator: visible.first(), why: `It is the only one ${where}.` };
  const exact = exactLocatorOf(frame, target, wait.values)?.filter({ visible: true });
  if (exact && (await exact.count()) === 1)
    return { locator: exact, why: `Of ${count} that fit, it alone is called exactly that.` };
  const innermost = await sameElement(visible, count);
  if (innermost) return innermost;
  throw new StepFailure(
    `${showTarget(target)} fits ${count} elements: ${await describe(visible, count)}. Add "in", "nth" or "near", or more of the name.`,
  );
}

/** The frame in which something fits, the page itself first. */
async function untilVisible(
  page: Page,
  target: Target,
  { values, remaining }: Wait,
): Promise<{ frame: Frame; visible: Locator }> {
  const visibleIn = (frame: Frame) => locatorOf(frame, target, values).filter({ visible: true });
  for (let pause = FRAMES_FIRST_MS; ; pause = FRAMES_EVERY_MS) {
    const left = remaining();
    const [main, ...others] = page.frames() as [Frame, ...Frame[]];
    const timeout = others.length > 0 ? Math.min(pause, left) : left;
    try {
      await visibleIn(main).first().waitFor({ state: "attached", timeout });
      return { frame: main, visible: visibleIn(main) };
    } catch (cause) {
      if (!(cause instanceof errors.TimeoutError)) throw cause;
      for (const frame of others) {
        // A frame may go away while it is looked into.
        const count = await visibleIn(frame)
          .count()
          .catch(() => 0);
        if (count > 0) return { frame, visible: visibleIn(frame) };
      }
      if (left <= pause || others.length === 0)
        throw await missing(page, target, locatorOf(main, target, values), cause);
    }
  }
}

/** A text that stands in one element within another is that one element. */
async function sameElement(visible: Locator, count: number): Promise<Found | null> {
  const isNested = await visible.evaluateAll((elements) =>
    elements.every((one, at) => at === 0 || (elements[at - 1] as Element).contains(one)),
  );
  return isNested
    ? { locator: visible.nth(count - 1), why: "It is the innermost of those that hold it." }
    : null;
}

async function missing(page: Page, target: Target, all: Locator, cause: unknown): Promise<unknown> {
  if (page.isClosed()) return cause;
  const hidden = await all.count().catch(() => 0);
  if (hidden > 0)
    return new StepFailure(
      `${showTarget(target)} is there ${hidden === 1 ? "" : `${hidden} times `}but not visible.`,
      { cause },
    );
  return new ElementMissing(`There is no ${showTarget(target)} on the page.`, { cause });
}

/** The elements in few words. */
async function describe(all: Locator, count: number): Promise<string> {
  const shown = await all.evaluateAll(
    (elements, most) =>
      elements.slice(0, most).map((element) => {
        const id = element.id ? `#${element.id}` : "";
        const text = (element.getAttribute("aria-label") ?? element.textContent ?? "")
          .replace(/\s+/g, " ")
          .trim();
        return `${element.tagName.toLowerCase()}${id}${text ? ` “${text.slice(0, 40)}”` : ""}`;
      }),
    MOST_SHOWN,
  );
  return `${shown.join(", ")}${count > MOST_SHOWN ? " and others" : ""}`;
}
