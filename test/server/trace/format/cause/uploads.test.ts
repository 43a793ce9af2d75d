import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "./run.ts";

const press = click("Click Hand in", { ts: 2_900, name: "page.click" });
/** Of files recorders keep the length alone. */
const upload = (ts: number, bytes: number, more: Record<string, unknown> = {}) =>
  exchange("/uploads", {
    ts,
    method: "POST",
    status: 201,
    request: { headers: [{ name: "content-length", value: String(bytes) }] },
    ...more,
  });
const refused = { status: 422, status_text: "Unprocessable Entity" };
const usual = run(press, ...upload(3_000, 33), ...upload(3_100, 12), passing());

test("what was refused and had been sent without any content is told with that", () => {
  expect(first(run(press, ...upload(3_000, 0, refused), failing()), usual, usual)).toBe(
    "request_failed: POST /uploads, which was sent without any content (0 bytes) where the last pass sent 33 bytes, was answered with 422 Unprocessable Entity",
  );
  const full = told(run(press, ...upload(3_000, 33, refused), failing()), usual, usual).join("\n");
  const empty = run(press, ...upload(3_000, 0), ...upload(3_100, 12), passing());
  const asEver = told(run(press, ...upload(3_000, 0, refused), failing()), empty, empty).join("\n");
  for (const suspects of [full, asEver]) expect(suspects).not.toContain("without any content");
});

test("what was sent once where the passes send it twice is not told as never sent, and not at all where the first was refused", () => {
  const once = told(run(press, ...upload(3_000, 33), failing()), usual, usual).join("\n");
  expect(once).toContain(
    "POST /uploads was sent once where the last pass sent it twice: there it went out again 200 ms after “Click Hand in”",
  );
  const stopped = told(run(press, ...upload(3_000, 33, refused), failing()), usual, usual).join("\n");
  for (const silent of ["was sent once", "was never sent"]) expect(stopped).not.toContain(silent);
  expect(told(run(press, failing()), usual, usual).join("\n")).toContain(
    "POST /uploads was never sent: in the last pass it went out 100 ms after “Click Hand in”",
  );
});

test("two files that one press sends are not one that was sent twice", () => {
  const file = (ts: number, bytes: number, name: string) =>
    upload(ts, bytes, {
      request: {
        headers: [
          { name: "content-length", value: String(bytes) },
          { name: "x-file-name", value: name },
        ],
      },
    });
  const cause = (...events: Parameters<typeof run>) => told(run(press, ...events, failing())).join("\n");
  expect(cause(...file(3_000, 33, "a.pdf"), ...file(3_040, 12, "b.csv"))).not.toContain("was sent twice");
  expect(cause(...file(3_000, 33, "a.pdf"), ...file(3_040, 33, "b.pdf"))).not.toContain("was sent twice");
  expect(cause(...file(3_000, 33, "a.pdf"), ...file(3_040, 33, "a.pdf"))).toContain("was sent twice");
});
