import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "./run.ts";

const scan = (code: string, ts: number, status: number, said = "Already used") =>
  exchange("/api/scans", {
    ...{ ts, status, method: "POST", media_type: "application/json" },
    body: JSON.stringify(status < 400 ? { seat: "D-1" } : { title: said, status }),
    request: { body: JSON.stringify({ code }) },
  });
const press = (ts: number) => click("Check in", { ts });
const usual = run(
  ...[press(2_900), ...scan("KX", 3_000, 201)],
  ...[press(3_900), ...scan("LY", 4_000, 409, "Wrong hall")],
  passing(),
);
const twiceEach = (apart: number, pressed: ReturnType<typeof click>[] = []) =>
  run(
    ...[press(2_900), ...scan("KX", 3_000, 201), ...scan("KX", 3_000 + apart, 409)],
    ...[press(3_900), ...scan("LY", 4_000, 409, "Wrong hall"), ...pressed],
    ...scan("LY", 4_000 + apart, 409, "Wrong hall"),
    failing(),
  );

test("what goes out twice by each press, also where it is refused both times, leads before what is answered", () => {
  expect(first(twiceEach(20), usual, usual)).toBe(
    "request_repeated: POST /api/scans was sent 4 times, where the last pass sent it twice: 2 times it went out twice within 20 ms, with the same content; the last one was refused: “Already used”",
  );
});

test("what is pressed for again, sent so in a pass, or of another content did not go out twice", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("it went out twice");
  expect(isTold(twiceEach(300), usual)).toBeTrue();
  expect(isTold(twiceEach(300, [press(4_150)]), usual)).toBeFalse();
  expect(isTold(twiceEach(20), usual, twiceEach(20))).toBeFalse();
  expect(isTold(twiceEach(20))).toBeFalse();
  const other = run(
    ...[press(2_900), ...scan("KX", 3_000, 201), ...scan("one", 3_020, 409)],
    ...[press(3_900), ...scan("LY", 4_000, 409), ...scan("two", 4_020, 409)],
    failing(),
  );
  expect(isTold(other, usual)).toBeFalse();
});
