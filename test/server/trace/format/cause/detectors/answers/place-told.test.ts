import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../../run.ts";

type More = Record<string, unknown>;
const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
const sends = (body: string, to = "/members/9", more: More = {}) =>
  exchange("/members", {
    ts: 3_000,
    method: "POST",
    status: 303,
    headers: [{ name: "location", value: to }],
    request: { body, headers: FORM },
    ...more,
  });
const member = (html: string) =>
  exchange("/members/9", { ts: 4_000, resource_type: "document", media_type: "text/html", body: html });
const looking = (id: string, expected: string, received: string) => ({
  title: `Expect "toHaveText" getByTestId('${id}')`,
  message: `expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('${id}')`,
  expected: `"${expected}"`,
  received: `"${received}"`,
});
const consent = (text: string) =>
  member(
    `<h1>Ann</h1><dl><dt>Born</dt><dd>1998</dd><dt>Photo consent</dt><dd data-testid="ok">${text}</dd></dl>`,
  );

const saved = (text: string, end: typeof passing, sent = sends("name=Ann&consent=1")) =>
  run(...sent, ...consent(text), end(looking("ok", "Yes", text)));

test("a served value is told with what it is of, and with the field that was sent for it", () => {
  const usual = saved("Yes", passing);
  expect(first(saved("No", failing), usual, usual)).toBe(
    "answer_changed: GET /members/9 came with “No” for “Photo consent”, where the last pass had “Yes”; POST /members had been sent with consent=1 and answered with 303: it was not kept, or is read otherwise",
  );
});

test("nothing is said of a form that was sent otherwise, refused, without such a field, or that led elsewhere", () => {
  const usual = saved("Yes", passing);
  for (const sent of [
    sends("name=Ann&consent=0"),
    sends("name=Ann"),
    sends("name=Ann&consent=1", "/teams"),
    sends("name=Ann&consent=1", "/members/9", { status: 422 }),
  ])
    expect(first(saved("No", failing, sent), usual, usual)).not.toContain("it was not kept");
});

test("a value that is gone from its place is told as nothing there", () => {
  const team = (text: string, end: typeof passing) =>
    run(
      ...sends("name=Ann&team_id=3"),
      ...member(`<h1>Ann</h1><dl><dt>Team</dt><dd data-testid="team">${text}</dd></dl>`),
      end(looking("team", "Women First", text)),
    );
  const usual = team("Women First", passing);
  expect(first(team("", failing), usual, usual)).toBe(
    "answer_changed: GET /members/9 came with nothing for “Team”, where the last pass had “Women First”; POST /members had been sent with team_id=3 and answered with 303: it was not kept, or is read otherwise",
  );
});

test("two figures in each other's place are told with the fields that they were sent in", () => {
  const result = (text: string, end: typeof passing, body = "us=3&them=1") =>
    run(
      ...sends(body),
      ...member(`<h1>Final</h1><p>Score: <b data-testid="score">${text}</b></p>`),
      end(looking("score", "3 – 1", text)),
    );
  const usual = result("3 – 1", passing);
  expect(first(result("1 – 3", failing), usual, usual)).toBe(
    "answer_changed: GET /members/9 came with “1 – 3” for “Score”, where the last pass had “3 – 1”; POST /members had been sent with us=3 and them=1 and answered with 303: the two changed places",
  );
  expect(first(result("1 – 3", failing, "us=1&them=3"), usual, usual)).not.toContain("changed places");
  expect(first(result("1 – 4", failing), usual, usual)).not.toContain("changed places");
});

test("what the test created without a value the server took by default", () => {
  const made = (team: string, end: typeof passing, body: object = { name: "Ann" }) =>
    run(
      ...exchange("/api/members", {
        ts: 2_000,
        method: "POST",
        status: 201,
        resource_type: "api",
        media_type: "application/json",
        body: '{"id":9,"name":"Ann"}',
        request: { body: JSON.stringify(body) },
      }),
      ...member(`<h1>Ann</h1><dl><dt>Team</dt><dd data-testid="team">${team}</dd></dl>`),
      end(looking("team", "Second XI", team)),
    );
  const usual = made("Second XI", passing);
  expect(first(made("Women First", failing), usual, usual)).toBe(
    "answer_changed: GET /members/9 came with “Women First” for “Team”, where the last pass had “Second XI”; the test had created it by POST /api/members, which was sent without that as in the passes: it is what the server takes by default",
  );
  const given = { name: "Ann", team_id: 3 };
  expect(first(made("Women First", failing, given), usual, usual)).not.toContain("by default");
});

test("beside a sum that is another one stands the part that is", () => {
  const basket = (part: string, sum: string, end: typeof passing) =>
    run(
      ...member(
        `<ul><li>2 × Shirt <span>€85.00</span></li><li>3 × Socks <span>${part}</span> <button>×</button></li></ul><p>Subtotal <b data-testid="sum">${sum}</b></p>`,
      ),
      end(looking("sum", "€108.85", sum)),
    );
  const usual = basket("€23.85", "€108.85", passing);
  expect(first(basket("€25.35", "€110.35", failing), usual, usual)).toBe(
    "answer_changed: GET /members/9 came with “€110.35” for “Subtotal”, where the last pass had “€108.85”; it has “€25.35” for “3 × Socks” there too, where the last pass had “€23.85”",
  );
});
