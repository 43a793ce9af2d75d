import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, passing, run, told } from "./run.ts";

const said = (expected: string, received: string) =>
  causeOf(run(failing({ expected: JSON.stringify(expected), received: JSON.stringify(received) }))).headline;

describe("two texts that are easily taken for the same", () => {
  test("are told with what they differ in alone", () => {
    expect(said("Sign in", "Sign  in")).toEndWith("; the two differ in spaces alone");
    expect(said("Sign in", "sign In")).toEndWith("; the two differ in upper and lower case alone");
    expect(said('B6,"Nora, Q",4', "B6,Nora, Q,4")).toEndWith("; the two differ in quotation marks alone");
    expect(said("Ready, set, go", "Ready set: go")).toEndWith("; the two differ in punctuation alone");
  });

  test("are told as a beginning where one is cut off", () => {
    expect(said("Repeat bloods at six", "Repeat bloods")).toEndWith("; it is only the beginning of that");
  });

  test("are left as they are where they say another thing", () => {
    for (const received of ["Checkout", "Ready", "Go"])
      expect(said("Ready, set, go", received)).not.toContain("alone");
    expect(said("12", "1.2")).not.toContain("alone");
  });

  test("are told from shortly before they part where they begin alike for long", () => {
    const note = "Slept well, drank 600 ml since midnight. Repeat bloods at six and ring the renal team with";
    expect(said(`${note} the potassium`, `${note} the round`)).toContain(
      "had “…renal team with the round” where the test expects “…renal team with the potassium”",
    );
  });
});

test("a message that passes have with other figures only counts", () => {
  const shown = (text: string) => page(`<h1>Patients</h1><p role="status">${text}</p>`);
  const cause = (here: string, there: string) =>
    told(run(failing(), shown(here)), run(passing(), shown(there)), run(passing(), shown(there))).join();
  expect(cause("1–5 of 12 rows", "6–7 of 7 rows")).toStartWith(
    "page_message: The page said “1–5 of 12 rows”",
  );
  const [found] = causeOf(
    run(failing(), shown("1–5 of 12 rows")),
    run(passing(), shown("6–7 of 7 rows")),
  ).suspects;
  expect(found!.confidence).toBeLessThan(0.4);
});

test("a heading by which each run calls a thing of its own is no news", () => {
  const at = (name: string) => page(`<h1>${name}</h1>`);
  const passes = [run(passing(), at("Ida Okoro")), run(passing(), at("Ida Lind"))] as const;
  expect(told(run(failing(), at("Ida Marsh")), ...passes).join()).not.toContain("was headed");
  const same = [run(passing(), at("Beds")), run(passing(), at("Beds"))] as const;
  expect(told(run(failing(), at("Rooms")), ...same).join()).toContain("was headed “Rooms”");
});

test("what a page still says that each pass said a step before is less than the script that is another one", () => {
  const said = (words: string) => `<p role="status">${words}</p><h1>Board</h1>`;
  const script = (body: string) =>
    exchange("/board.js", { ts: 1_000, resource_type: "script", media_type: "text/javascript", body });
  const press = click("Click getByRole('button', { name: 'Set' })", { ts: 4_000, name: "page.click" });
  const visit = (code: string, last: string, end: ReturnType<typeof failing>) =>
    run(
      ...script(code),
      page(said("Live"), { ts: 4_000, step_id: press.step_id, phase: "action" }),
      press,
      end,
      page(said(last)),
    );
  const usual = visit("listen('room')", "Room 3: clean", passing());
  const suspectsOf = (words: string) =>
    causeOf(visit("listen('rooms')", words, failing()), usual, usual).suspects;
  const trustIn = (words: string) => suspectsOf(words).find(({ title }) => title.includes(words))!.confidence;
  expect(suspectsOf("Live")[0]!.title).toStartWith("The script GET /board.js changed");
  expect(trustIn("Live")).toBeLessThan(trustIn("Paused"));
});
