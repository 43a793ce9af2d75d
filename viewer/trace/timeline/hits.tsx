import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { shownTheme } from "../../ui/theme.ts";
import { findState, type Hit } from "../model/find.ts";
import { useModel } from "../model/model.ts";
import { LANE, type LaneContent, prepare, readPalette } from "./draw.ts";
import { RULER } from "./ruler.ts";
import type { Scale } from "./scale.ts";

const TICK = 2;
/** Of the ruler, at its lower edge. */
const RULER_TICK = 5;

interface HitsProps {
  scale: Scale;
  contents: readonly LaneContent[];
  lanesTop: number;
}

/**
 * Where hits of the search are: a tick at the ruler, whichever lanes are shown, and one on the lane of its kind. They lie on a
 * canvas of their own, since the lanes of a long trace take longer to draw than a search may.
 */
export function Hits({ scale, contents, lanesTop }: HitsProps): JSX.Element | null {
  const model = useModel();
  const canvas = useRef<HTMLCanvasElement>(null);
  const hits = findState(model).hits.value;
  const theme = shownTheme.value;
  const isShown = hits.length > 0 && scale.width > 0;
  useEffect(() => {
    const height = lanesTop + contents.length * LANE;
    const context = isShown && canvas.current && prepare(canvas.current, scale.width, height);
    if (!context) return;
    const tops = new Map(contents.map(({ lane }, index) => [lane, lanesTop + index * LANE]));
    context.fillStyle = readPalette().hit;
    drawTicks(context, hits, scale, () => ({ top: RULER - RULER_TICK, height: RULER_TICK }));
    drawTicks(context, hits, scale, ({ lane }) => {
      const top = lane ? tops.get(lane) : undefined;
      return top === undefined ? null : { top, height: LANE };
    });
  }, [isShown, scale, contents, lanesTop, hits, theme]);
  return isShown ? <canvas ref={canvas} class="hits" /> : null;
}

function drawTicks(
  context: CanvasRenderingContext2D,
  hits: readonly Hit[],
  scale: Scale,
  place: (hit: Hit) => { top: number; height: number } | null,
): void {
  for (const hit of hits) {
    const at = hit.ts >= scale.from && hit.ts <= scale.to ? place(hit) : null;
    if (!at) continue;
    const x = Math.min(Math.round(scale.x(hit.ts)), scale.width - TICK);
    context.fillRect(x, at.top, TICK, at.height);
  }
}
