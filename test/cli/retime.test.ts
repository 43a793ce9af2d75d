import { describe, expect, test } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import { TAPES } from "../../fixtures/month/tapes.ts";
import { retime, shiftText } from "../../server/cli/demo/retime.ts";

const FROM = Date.parse("2026-11-20T13:45:20.417Z");
const TO = Date.parse("2026-12-24T08:00:00.000Z");

describe("a recording at another moment", () => {
  test("has its moments shifted in every form, and nothing that is no moment of its own", () => {
    const text = [
      `{"ts":${FROM + 500},"duration_ms":40}`,
      `{"time":${(FROM + 1500) / 1000}}`,
      '{"at":"2026-11-20T13:45:21.417Z"}',
      `{"file":"screencast/page@4dd3-${FROM}.jpeg","expires":1895182320.4,"year":"2026-03-02T23:30:00Z"}`,
    ].join("\n");
    expect(shiftText(text, { from: FROM, to: TO, stretch: 2 })).toBe(
      [
        `{"ts":${TO + 1000},"duration_ms":80}`,
        `{"time":${(TO + 3000) / 1000}}`,
        '{"at":"2026-12-24T08:00:02.000Z"}',
        `{"file":"screencast/page@4dd3-${FROM}.jpeg","expires":1895182320.4,"year":"2026-03-02T23:30:00Z"}`,
      ].join("\n"),
    );
  });

  test.each(["colleaguesPass", "guestBuysBeans"] as const)(
    "is the same bytes each time: %s",
    async (name) => {
      const once = await retime(TAPES[name], TO, null);
      expect(await retime(TAPES[name], TO, null)).toEqual(once);
    },
  );

  test("begins then, and keeps the names of its members", async () => {
    const [was, is] = [
      unzipSync(await Bun.file(TAPES.colleaguesPass).bytes()),
      unzipSync(await retime(TAPES.colleaguesPass, TO, null)),
    ];
    expect(Object.keys(is).sort()).toEqual(Object.keys(was).sort());
    const walls = Object.entries(is)
      .filter(([path]) => path.endsWith(".trace"))
      .flatMap(([, bytes]) =>
        [...strFromU8(bytes).matchAll(/"wallTime":(\d{13})/g)].map(([, at]) => Number(at)),
      );
    expect(Math.min(...walls)).toBe(TO);
    expect(Math.max(...walls) - TO).toBeLessThan(60_000);
  });
});
