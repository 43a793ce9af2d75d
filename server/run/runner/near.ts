import type { Frame, Locator } from "playwright-core";
import { StepFailure } from "../errors.ts";
import type { Target } from "../language/ast.ts";
import type { Found } from "./found.ts";
import { showTarget } from "./targets.ts";

/** The candidates, and what they are to be near to. */
export interface Nearness {
  target: Target;
  candidates: Locator;
  frame: Frame;
  anchor: { target: Target; locator: Locator };
}

/**
 * Of several elements the one near another: those in the smallest part of the page that holds the other one too, as the
 * button of a card is the one of its heading; of these the one with the least distance between their edges.
 * @throws StepFailure when none has a place on the page
 */
export async function nearestOf(nearness: Nearness): Promise<Pick<Found, "locator" | "why">> {
  const { target, candidates, anchor } = nearness;
  const { placed, inside } = await besideOf(nearness);
  const [best] = inside.toSorted((one, other) => one.distance - other.distance);
  const near = showTarget(anchor.target);
  if (!best) throw new StepFailure(`Neither ${showTarget(target)} nor ${near} has a place on the page.`);
  const why =
    inside.length === 1 && placed > 1
      ? `Of ${placed}, it alone is in the smallest part of the page that holds ${near} too.`
      : `Of ${inside.length}${inside.length < placed ? " in the same part of the page" : ""}, it is nearest to ${near}: ${Math.round(best.distance)} px away.`;
  return { locator: candidates.nth(best.at), why };
}

/** How many stand in the smallest part of the page that holds the other element too. */
export const countBeside = async (nearness: Nearness): Promise<number> =>
  (await besideOf(nearness)).inside.length;

/** Those in the smallest part of the page that holds the anchor too, with their index; `placed` counts all with a place. */
async function besideOf({
  candidates,
  frame,
  anchor,
}: Nearness): Promise<{ placed: number; inside: { at: number; distance: number }[] }> {
  const all = await candidates.all();
  const [depths, from, boxes] = await Promise.all([
    sharedDepths(candidates, frame, anchor.locator),
    anchor.locator.boundingBox(),
    Promise.all(all.map((one) => one.boundingBox())),
  ]);
  const placed = boxes.flatMap((box, at) =>
    box && from ? [{ at, depth: depths?.[at] ?? 0, distance: distanceOf(box, from) }] : [],
  );
  const deepest = Math.max(...placed.map(({ depth }) => depth));
  return { placed: placed.length, inside: placed.filter(({ depth }) => depth === deepest) };
}

/**
 * For each element, how deep the smallest element lies that holds both it and the anchor. Null when the anchor is in another
 * frame, where nothing holds both.
 */
async function sharedDepths(candidates: Locator, frame: Frame, anchor: Locator): Promise<number[] | null> {
  const handle = await anchor.elementHandle();
  if (!handle) return null;
  try {
    if ((await handle.ownerFrame()) !== frame) return null;
    return await candidates.evaluateAll((elements, other) => {
      // What is in a shadow tree is within its host.
      const above = (node: Node): Node | null => node.parentNode ?? (node as ShadowRoot).host ?? null;
      const lineOf = (node: Node | null): Node[] => (node ? [...lineOf(above(node)), node] : []);
      const line = lineOf(other);
      return elements.map((element) => {
        const own = lineOf(element);
        const parts = line.findIndex((node, depth) => node !== own[depth]);
        return parts < 0 ? line.length : parts;
      });
    }, handle);
  } finally {
    await handle.dispose();
  }
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const distanceOf = (a: Box, b: Box): number =>
  Math.hypot(gap(a.x, a.width, b.x, b.width), gap(a.y, a.height, b.y, b.height));

/** Between two spans on one axis; 0 when they overlap. */
const gap = (a: number, aLength: number, b: number, bLength: number): number =>
  Math.max(0, a - (b + bLength), b - (a + aLength));
