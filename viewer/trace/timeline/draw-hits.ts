import type { Hit } from "../model/find.ts";
import { LANE, type LaneContent } from "./draw.ts";
import { RULER } from "./ruler.ts";
import type { Scale } from "./scale.ts";

const TICK = 2;

/** Where hits are: a tick at the lower edge of the ruler, whichever lanes are shown. */
export function drawRulerHits(
  context: CanvasRenderingContext2D,
  hits: readonly Hit[],
  scale: Scale,
  colour: string,
): void {
  drawTicks(context, hits, scale, colour, () => ({ top: RULER - 5, height: 5 }));
}

/** Where hits are, each on the lane of its kind. */
export function drawLaneHits(
  context: CanvasRenderingContext2D,
  contents: readonly LaneContent[],
  hits: readonly Hit[],
  scale: Scale,
  colour: string,
): void {
  const rows = new Map(contents.map(({ lane }, index) => [lane, index]));
  drawTicks(context, hits, scale, colour, ({ lane }) => {
    const row = lane ? rows.get(lane) : undefined;
    return row === undefined ? null : { top: row * LANE, height: LANE };
  });
}

function drawTicks(
  context: CanvasRenderingContext2D,
  hits: readonly Hit[],
  scale: Scale,
  colour: string,
  place: (hit: Hit) => { top: number; height: number } | null,
): void {
  context.fillStyle = colour;
  for (const hit of hits) {
    const at = hit.ts >= scale.from && hit.ts <= scale.to ? place(hit) : null;
    if (!at) continue;
    const x = Math.min(Math.round(scale.x(hit.ts)), scale.width - TICK);
    context.fillRect(x, at.top, TICK, at.height);
  }
}
