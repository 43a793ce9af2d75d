import { expect, test } from "bun:test";
import { drawLanes, type LaneContent } from "../../viewer/trace/timeline/draw.ts";
import { createLaneIndex } from "../../viewer/trace/timeline/lane-index.ts";
import { createScale } from "../../viewer/trace/timeline/scale.ts";

const WIDTH = 1300;
const LENGTH = 600_000;

type Box = readonly [x: number, y: number, width: number, height: number];

/** What a canvas is asked to draw. */
function recorder() {
  const boxes: Box[] = [];
  let shapes = 0;
  const context = {
    fillStyle: "",
    globalAlpha: 1,
    fillRect: (...box: Box) => void boxes.push(box),
    beginPath() {},
    moveTo() {},
    lineTo() {},
    fill() {
      shapes += 1;
    },
  };
  return { context: context as unknown as CanvasRenderingContext2D, boxes, shapes: () => shapes };
}

const palette = { text: "", line: "", bad: "bad", hit: "", lane: () => "good" };

function lane(count: number, length: number): LaneContent {
  const start = (row: number): number => (row * LENGTH) / count;
  const good = createLaneIndex({ count, has: () => true, start, end: (row) => start(row) + length });
  const bad = createLaneIndex({ count, has: (row) => row % 100 === 0, start, end: () => 0 });
  return {
    lane: "network",
    buckets: [],
    first: 0,
    last: LENGTH,
    spans: { good, bad },
    tell: () => "",
    seq: () => null,
  };
}

test("a lane costs its width, not its events: 100,000 are drawn with no more strokes than there are pixels", () => {
  const scale = createScale(0, LENGTH, WIDTH);
  const drawn = [1000, 100_000].map((count) => {
    const { context, boxes, shapes } = recorder();
    drawLanes(context, [lane(count, 3)], scale, palette);
    return boxes.length + shapes();
  });
  expect(drawn[1] ?? 0).toBeLessThanOrEqual(2 * WIDTH);
  expect((drawn[1] ?? 0) / (drawn[0] ?? 1)).toBeLessThan(2);
});

test("dense or sparse, what happened is drawn where it was, and what goes on fills its time", () => {
  const scale = createScale(0, LENGTH, WIDTH);
  const dense = recorder();
  drawLanes(dense.context, [lane(100_000, 3)], scale, palette);
  const covered = new Uint8Array(WIDTH + 4);
  for (const [x, , width] of dense.boxes) covered.fill(1, Math.floor(x), Math.ceil(x + width));
  expect(covered.slice(0, WIDTH).every((one) => one === 1)).toBe(true);
  // One long span over many short ones in the first second.
  const spans = {
    has: () => true,
    start: (row: number) => row / 5,
    end: (row: number) => (row === 0 ? LENGTH / 2 : row / 5),
  };
  const index = createLaneIndex({ ...spans, count: 5000 });
  const none = createLaneIndex({ ...spans, count: 0 });
  const long = recorder();
  const content = { ...lane(1, 1), spans: { good: index, bad: none } };
  drawLanes(long.context, [content], scale, palette);
  const end = Math.max(...long.boxes.map(([x, , width]) => x + width));
  expect(end).toBeGreaterThan(WIDTH / 2 - 3);
  expect(end).toBeLessThan(WIDTH / 2 + 3);
});
