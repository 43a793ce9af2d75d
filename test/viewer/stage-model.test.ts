import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRecording } from "../../viewer/player/recording.ts";
import { behindIdle, gapsOf } from "../../viewer/trace/model/playback.ts";
import { chooseView } from "../../viewer/trace/model/views.ts";
import { didLoad, NO_FRAMES, want } from "../../viewer/trace/stage/page-frames.tsx";

const page = (url: string) => ({ url, title: url, size: { width: 1, height: 1 }, sandbox: "" });

describe("the frames of recorded pages", () => {
  test("a page that loads late does not take the place of the one that is wanted", () => {
    // The step changed before its first page was there, and that page came last.
    let frames = want(want(NO_FRAMES, page("old")), page("new"));
    frames = didLoad(frames, "new", "new");
    frames = didLoad(frames, "old", "new");
    expect(frames.shown).toBe("new");
  });

  test("the page wanted last is seen, in whatever order pages are wanted and load", () => {
    const moves = fc.array(fc.record({ isLoad: fc.boolean(), url: fc.constantFrom("a", "b", "c", "d") }));
    fc.assert(
      fc.property(moves, (all) => {
        let wanted = "a";
        let frames = want(NO_FRAMES, page(wanted));
        for (const { isLoad, url } of all) {
          if (isLoad) frames = didLoad(frames, url, wanted);
          else {
            wanted = url;
            frames = want(frames, page(url));
          }
          expect(frames.pages.length).toBeLessThanOrEqual(2);
          expect(frames.pages.some((one) => one.url === wanted)).toBe(true);
        }
        for (const { url } of frames.pages) if (url !== frames.shown) frames = didLoad(frames, url, wanted);
        expect(frames.shown).toBe(wanted);
      }),
    );
  });

  test("the frame that is seen stays where it is until the next one is there", () => {
    let frames = didLoad(want(NO_FRAMES, page("a")), "a", "a");
    frames = want(want(frames, page("b")), page("c"));
    expect(frames.pages.map(({ url }) => url)).toEqual(["a", "c"]);
    expect(frames.shown).toBe("a");
    frames = didLoad(frames, "c", "c");
    expect(frames).toMatchObject({ pages: [{ url: "c" }], shown: "c" });
  });
});

describe("a recording as it arrives", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const line = (timestamp: number, type = 3, data: Record<string, unknown> = { source: 0 }) =>
    `${JSON.stringify({ type, timestamp, data })}\n`;

  test("is the same however it is cut into pieces", () => {
    const text = [line(1, 4), line(2, 2), line(3, 3, { source: 0, note: "Größe 👜" }), line(9)].join("");
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes(text).length })), (cuts) => {
        const recording = createRecording();
        const places = [0, ...cuts.sort((a, b) => a - b), bytes(text).length];
        for (const [index, from] of places.entries())
          recording.add(bytes(text).subarray(from, places[index + 1] ?? from));
        recording.end(false);
        expect(recording.index()).toMatchObject({
          first: 1,
          last: 9,
          shownFrom: 2,
          skipped: 0,
          isCut: false,
        });
        expect(recording.eventAt(2)?.data.note).toBe("Größe 👜");
      }),
    );
  });

  test("stands in order of time, with positions of the pointer at their own", () => {
    const recording = createRecording();
    const positions = [-400, -200, 0].map((timeOffset) => ({ x: 1, y: 1, id: 1, timeOffset }));
    recording.add(bytes(line(1000, 2) + line(1300) + line(1500, 3, { source: 1, positions })));
    recording.end(false);
    const times = [0, 1, 2, 3, 4].map((at) => recording.eventAt(at)?.timestamp);
    expect(times).toEqual([1000, 1100, 1300, 1300, 1500]);
  });

  test("begins at the last whole page before a moment, with the size of its window", () => {
    const recording = createRecording();
    recording.add(bytes(line(1) + line(2, 4) + line(2, 2) + line(5) + line(8, 4) + line(8, 2) + line(9)));
    recording.end(false);
    expect(recording.startFor(recording.after(1))).toBeNull();
    expect(recording.startFor(recording.after(7))).toBe(1);
    expect(recording.startFor(recording.after(9))).toBe(4);
  });

  test("counts what is no event, and tells of an end in the middle of a line", () => {
    const recording = createRecording();
    recording.add(bytes(`${line(5, 2)}not json\n{"type":"x"}\nnull\n\n{"type":3,"timest`));
    recording.end(false);
    expect(recording.index()).toMatchObject({ skipped: 3, isCut: true, isComplete: true });
  });

  test("tells where nothing happens for a while", () => {
    const recording = createRecording();
    recording.add(bytes(line(0, 2) + line(1000) + line(4000) + line(4500)));
    recording.end(false);
    expect(recording.index().idle).toEqual([[1000, 4000]]);
  });
});

test("playing leaps over an idle span to shortly before its end, and over nothing else", () => {
  const idle = gapsOf([0, 100, 5100, 5200], 2000);
  expect(idle).toEqual([[100, 5100]]);
  expect(behindIdle(idle, 90)).toBe(90);
  expect(behindIdle(idle, 101)).toBe(4800);
  expect(behindIdle(idle, 4900)).toBe(4900);
});

test("the form shown is the address's, else the usual one, else one that there is", () => {
  expect(chooseView("video", "page", { there: ["page", "video"], isShotStale: false })).toBe("video");
  expect(chooseView("video", "page", { there: ["page", "screenshot"], isShotStale: false })).toBe("page");
  expect(chooseView(null, null, { there: ["page", "replay", "screenshot"], isShotStale: false })).toBe(
    "screenshot",
  );
  expect(chooseView(null, "screenshot", { there: ["replay"], isShotStale: false })).toBe("replay");
  expect(chooseView(null, null, { there: [], isShotStale: false })).toBe("screenshot");
  // A picture of before the page's last change does not pass for the page, unless the reader asks for it here.
  const stale = { there: ["screenshot", "page"] as const, isShotStale: true };
  expect(chooseView(null, "screenshot", stale)).toBe("page");
  expect(chooseView("screenshot", null, stale)).toBe("screenshot");
  expect(chooseView(null, null, { ...stale, there: ["screenshot"] })).toBe("screenshot");
});
