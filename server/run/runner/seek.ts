import type { Frame, Page } from "playwright-core";
import { ElementMissing, StepFailure } from "../errors.ts";
import type { Target } from "../language/ast.ts";
import { describeElements } from "./describe-elements.ts";
import { probeElements } from "./element-probe.ts";
import type { Deadline } from "./environment.ts";
import type { Found } from "./found.ts";
import { countBeside, nearestOf } from "./near.ts";
import { exactLocatorOf, locatorOf, type Place, showTarget, visibleOf } from "./targets.ts";
import type { Values } from "./values.ts";

/** How long a frame within the page is waited for: it must not keep what stands elsewhere from being found. */
const FRAME_MS = 500;

export interface Wait {
  values: Values;
  deadline: Deadline;
}

/** Several elements fit where one is meant. */
export class SeveralFit extends StepFailure {
  override name = "SeveralFit";

  constructor(
    readonly target: Target,
    message: string,
  ) {
    super(message);
  }
}

/** A frame that a person sees says nothing, so nobody can tell what it does not hold. */
export class FrameSilent extends StepFailure {
  override name = "FrameSilent";

  constructor(frame: Frame) {
    super(`The frame ${frame.url()} did not answer in time.`);
  }
}

/** Of elements that stand in one another: one acts on the innermost, and looks for others within the outermost. */
type Meant = "innermost" | "outermost";

/**
 * The one visible element that a target means as the page is now, in the page or in a frame of it.
 * @returns null when there is none, or nothing that its `in` means
 * @throws SeveralFit, of the target, its `in` or its `near`; ElementMissing when what its `near` means is not there; FrameSilent
 */
export async function seekElement(
  page: Page,
  target: Target,
  wait: Wait,
  meant: Meant = "innermost",
): Promise<Found | null> {
  const anchor = await anchorOf(page, target, wait);
  const silent: Frame[] = [];
  for (const place of await placesOf(page, target, wait, anchor)) {
    const { frame } = place;
    const visible = visibleOf(place, target, wait.values);
    const seen = await answerOf(frame, probeElements(visible), wait);
    if (seen === undefined) silent.push(frame);
    if (!seen || !(await isShown(frame, wait))) continue;
    if (anchor) {
      const near = { target, candidates: visible, frame, anchor };
      const nearest = await nearestOf(near);
      return { ...nearest, frame, seen: await probeElements(nearest.locator) };
    }
    const where = frame === page.mainFrame() ? "on the page" : `in the frame ${frame.url()}`;
    if (seen.count === 1 || target.nth !== undefined)
      return { locator: visible.first(), frame, why: `It is the only one ${where}.`, seen };
    const exact = exactLocatorOf(place, target, wait.values)?.filter({ visible: true });
    const alone = exact && (await answerOf(frame, probeElements(exact), wait));
    if (alone?.count === 1)
      return {
        locator: exact!,
        frame,
        why: `Of ${seen.count} that fit, it alone is called exactly that.`,
        seen: alone,
      };
    if (seen.isOne) {
      const why = `It is the ${meant} of those that hold it.`;
      return { locator: meant === "innermost" ? visible.nth(seen.at) : visible.first(), frame, why, seen };
    }
    throw new SeveralFit(
      target,
      `${showTarget(target)} fits ${seen.count} elements: ${await describeElements(visible, seen.count)}. Add "in", "nth" or "near", or more of the name.`,
    );
  }
  await requireUnseen(silent, wait);
  return null;
}

/**
 * How many visible elements fit a target as the page is now, in all frames together. With `near`, how many of those stand in the
 * smallest part of the page that holds the other element too.
 * @throws SeveralFit of its `in` or `near`; ElementMissing when what its `near` means is not there; FrameSilent
 */
export async function countVisible(page: Page, target: Target, wait: Wait): Promise<number> {
  const anchor = await anchorOf(page, target, wait);
  const places = await placesOf(page, target, wait, anchor);
  const all = await Promise.all(
    places.map(async (place) => {
      const { frame } = place;
      const candidates = visibleOf(place, target, wait.values);
      const count = await answerOf(frame, candidates.count(), wait);
      return { candidates, frame, count: count && !(await isShown(frame, wait)) ? 0 : count };
    }),
  );
  const first = all.find(({ count }) => count);
  if (anchor && first) return countBeside({ target, ...first, anchor });
  const silent = all.filter(({ count }) => count === undefined);
  await requireUnseen(
    silent.map(({ frame }) => frame),
    wait,
  );
  return all.reduce((sum, { count }) => sum + (count ?? 0), 0);
}

/**
 * How many elements fit a target, visible or not and wherever its `near` is, and what was looked for in the page's own frame.
 * @throws as `countVisible`
 */
export async function countThere(
  page: Page,
  { near: _, ...target }: Target,
  wait: Wait,
): Promise<{ count: number; locators: string[] }> {
  const places = await placesOf(page, target, wait, null);
  const counts = await Promise.all(
    places.map((place) => answerOf(place.frame, locatorOf(place, target, wait.values).count(), wait)),
  );
  return {
    count: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    locators: places.slice(0, 1).map((place) => String(locatorOf(place, target, wait.values))),
  };
}

/** The frames of a page that a person sees, its own first. */
export async function shownFrames(page: Page, wait: Wait): Promise<Frame[]> {
  const frames = page.frames();
  const areShown = await Promise.all(frames.map((frame) => isShown(frame, wait)));
  return frames.filter((_, at) => areShown[at]);
}

/**
 * The answer of a frame; undefined when one within the page gives none in time, or has gone meanwhile. The page's own frame is waited
 * for: without its answer nothing is known.
 */
export async function answerOf<T>(
  frame: Frame,
  asked: Promise<T>,
  { deadline }: Wait,
): Promise<T | undefined> {
  if (frame.parentFrame() === null && !frame.isDetached()) return asked;
  try {
    const answer = await deadline.race(
      asked.then((value) => ({ value })),
      FRAME_MS,
    );
    return answer?.value;
  } catch (error) {
    if (!frame.isDetached()) throw error;
    return undefined;
  }
}

/** What is not found may stand in a frame that did not answer. @throws FrameSilent when a person sees one of the frames */
export async function requireUnseen(silent: readonly Frame[], wait: Wait): Promise<void> {
  for (const frame of silent) if (await isShown(frame, wait)) throw new FrameSilent(frame);
}

/** Where a target may stand: within what its `in` means, else in every frame, that of the anchor first. */
async function placesOf(page: Page, target: Target, wait: Wait, anchor: Anchor | null): Promise<Place[]> {
  if (target.in) {
    const holder = await seekElement(page, target.in, wait, "outermost");
    return holder ? [{ frame: holder.frame, within: holder.locator }] : [];
  }
  const frames = page.frames();
  const first = frames.filter((frame) => frame === anchor?.frame);
  const others = frames.filter((frame) => frame !== anchor?.frame);
  return [...first, ...others].map((frame) => ({ frame, within: frame }));
}

type Anchor = Found & { target: Target };

/** What a target's `near` means; null when it has none. */
async function anchorOf(page: Page, { near }: Target, wait: Wait): Promise<Anchor | null> {
  if (!near) return null;
  const found = await seekElement(page, near, wait);
  if (!found) throw new ElementMissing(`There is no ${showTarget(near)} on the page.`);
  return { ...found, target: near };
}

/** Whether a frame and those that it stands in have a place on the page; also where these do not say so in time. */
async function isShown(frame: Frame, wait: Wait): Promise<boolean> {
  const parent = frame.parentFrame();
  if (!parent) return !frame.isDetached();
  try {
    const element = await answerOf(parent, frame.frameElement(), wait);
    const isVisible = element && (await answerOf(parent, element.isVisible(), wait));
    await element?.dispose();
    return isVisible !== false && (await isShown(parent, wait));
  } catch (error) {
    if (!frame.isDetached()) throw error;
    return false;
  }
}
