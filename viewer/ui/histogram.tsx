import type { JSX } from "preact";
import { plural } from "./format.ts";

const WIDTH = 3;
const GAP = 1;
const HEIGHT = 16;

/** Counts as bars beside each other, none of them lower than a pixel. `of` says what is counted, and where. */
export function Histogram({ counts, of }: { counts: readonly number[]; of: string }): JSX.Element {
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const filled = counts.filter((count) => count > 0).length;
  return (
    <svg
      class="histogram"
      role="img"
      aria-label={`${of}: ${total} in ${plural(filled, "part")} of ${counts.length}, at most ${most}`}
      width={counts.length * (WIDTH + GAP)}
      height={HEIGHT}
    >
      <line x1="0" x2={counts.length * (WIDTH + GAP)} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {counts.map((count, index) => {
        const height = count === 0 ? 0 : Math.max(2, Math.round((count / most) * (HEIGHT - 2)));
        return (
          <rect key={index} x={index * (WIDTH + GAP)} y={HEIGHT - 1 - height} width={WIDTH} height={height} />
        );
      })}
    </svg>
  );
}
