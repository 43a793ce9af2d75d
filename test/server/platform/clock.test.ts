import { expect, test } from "bun:test";
import { systemClock } from "../../../server/platform/clock.ts";

test("a sleep of more than a timer can hold is not over at once, and ends with its signal", async () => {
  const over = new AbortController();
  const slept = systemClock.sleep(25 * 86_400_000, over.signal).then(() => "slept");
  expect(await Promise.race([slept, systemClock.sleep(50).then(() => "still asleep")])).toBe("still asleep");
  over.abort();
  expect(await slept).toBe("slept");
});
