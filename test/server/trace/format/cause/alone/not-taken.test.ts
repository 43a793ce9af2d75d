import { expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { around, json, missed, told } from "./scene.ts";

const write = (url: string, sent: unknown, answer: unknown, more: Record<string, unknown> = {}) =>
  exchange(url, {
    ts: 4_200,
    method: "PUT",
    request: { body: JSON.stringify(sent) },
    body: JSON.stringify(answer),
    media_type: "application/json",
    ...more,
  });

test("a list that was sent with items and comes back empty was not taken", () => {
  const price = failing({
    title: "Expect \"toContainText\" getByRole('list')",
    expected: '"Parking space: €54.00"',
    received: '"City tax: €14.10"',
  });
  const cause = (sent: unknown, answer: unknown) =>
    told(run(...write("/api/holds/7", sent, answer), price)).join("\n");
  expect(cause({ extras: ["parking", "breakfast"] }, { hold: { room: "single", extras: [] } })).toStartWith(
    "answer_changed: PUT /api/holds/7 was sent with 2 items for “extras” and answered with an empty list for it: they were not taken",
  );
  expect(cause({ extras: [] }, { extras: [] })).not.toContain("not taken");
  expect(cause({ extras: ["parking"] }, { extras: ["parking"] })).not.toContain("not taken");
  expect(cause({ extras: ["parking"] }, { room: "single" })).not.toContain("not taken");
});

test("what the test wants and was sent by a name that the answer has not is told with what that says instead", () => {
  const status = failing({
    title: "Expect \"toHaveText\" getByTestId('status')",
    expected: '"solved"',
    received: '"pending"',
  });
  const cause = (sent: unknown, answer: unknown) =>
    told(run(...write("/api/tickets/7", sent, answer), status, page("<p>pending</p>"))).join("\n");
  expect(cause({ state: "solved" }, { id: 7, status: "pending" })).toStartWith(
    "answer_changed: PUT /api/tickets/7 was sent with “solved” for “state” and answered without that field, with “pending” for “status”: it may not know the name",
  );
  expect(cause({ status: "solved" }, { id: 7, status: "pending" })).not.toContain("know the name");
  expect(cause({ state: "closed" }, { id: 7, status: "pending" })).not.toContain("know the name");
});

test("what a refused write should have led on to is missing for the refusal", () => {
  const refused = (status: number) =>
    write("/api/holds/7/guest", { name: "" }, { message: "Please tell us your name." }, { status });
  const frame = missed("locator('iframe[title=\"Card details\"]').contentFrame().getByLabel('Number')");
  const send = click("Click Continue", { ts: 4_000, step_id: "send" });
  const cause = (status: number) => told(run(send, ...refused(status), frame, page("<h1>Your stay</h1>")));
  expect(cause(422)[0]).toStartWith("request_failed: PUT /api/holds/7/guest was answered with 422");
  expect(cause(200)[0]).toStartWith("element_missing: The page has no frame");
});

test("a question that the page asked and the test answered with yes is no cause", () => {
  const asks = { kind: "page.dialog", type: "alert", message: "Check in now?", ts: 4_100 };
  const first = (name: string) =>
    told(
      run(
        click("Click Check in", { ts: 4_000, step_id: "in" }),
        asks,
        click("Answer the dialog", { ts: 4_110, name, step_id: "answer" }),
        missed("getByText('Wyss is checked in')"),
        page("<h1>Arrivals</h1>"),
      ),
    )[0];
  expect(first("dialog.dismiss")).toStartWith("dialog: ");
  expect(first("dialog.accept")).toStartWith("element_missing: ");
});

test("what had no value before the last action says less than that this did nothing", () => {
  const shown = '<h1>Scanner</h1><button>4 stars</button><p role="status" aria-label="Rating"></p>';
  const rate = click("Click 4 stars", { ts: 4_000, step_id: "rate" });
  const rated = failing({
    title: "Expect \"toHaveText\" getByRole('status', { name: 'Rating' })",
    expected: '"Thank you"',
    received: '""',
  });
  const cause = (ts: number) =>
    told(
      run(
        ...json("/api/requests/7", { title: "Scanner", rating: null }, { ts }),
        ...around(rate, shown, shown),
        rated,
      ),
    )[0];
  expect(cause(3_000)).toStartWith("page_changed: “Click 4 stars” seems to have done nothing");
  expect(cause(4_200)).toBe("answer_changed: GET /api/requests/7 answered “null” for “rating”");
});
