import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const fields = (find: string, note: string) =>
  `<input aria-label="Quick find" value="${find}"><input aria-label="Note" value="${note}">`;
const types = (text: string, ts: number, before: string, after: string) => {
  const step_id = `type ${ts}`;
  return [
    click(`Type "${text}"`, { name: "keyboard.type", ts, step_id, params: { text } }),
    page(before, { ts: ts + 5, step_id, phase: "action" }),
    page(after, { ts: ts + 300, step_id, phase: "after" }),
  ];
};
const into = (find: string, note: string) =>
  run(...types("slept well", 4_000, fields("", ""), fields(find, note)), failing());
const usual = run(...types("slept well", 4_000, fields("", ""), fields("", "slept well")), passing());

test("a text that went into another field than in every pass is told with both", () => {
  expect(first(into("slept well", ""), usual, usual)).toBe(
    "page_changed: What the test typed (“slept well”) went into “Quick find”, where it went into “Note” in the last pass: the focus was elsewhere by then",
  );
});

test("a text that arrived nowhere is told with the field of the passes", () => {
  expect(first(into("", ""), usual, usual)).toBe(
    "page_changed: What the test typed (“slept well”) arrived in no field, where it went into “Note” in the last pass: the focus was elsewhere by then",
  );
});

test("a text of the run's own that went before what another field had is told, whatever both begin with", () => {
  const typing = (text: string, find: string, note: string, ending: ReturnType<typeof failing>) => {
    const [act, before, after] = types(text, 4_000, fields("Home", ""), fields(find, note));
    const step = {
      ...act!,
      name: "page.type",
      title: `Type "${text}" getByLabel('Note')`,
      params: { text, selector: 'internal:label="Note"i' },
    };
    return run(step, before!, after!, ending);
  };
  const whole = (text: string) => typing(text, "Home", text, passing());
  expect(
    first(
      typing("Hello no. 31", "Hello no. 31Home", "", failing()),
      whole("Hello no. 7"),
      whole("Hello no. 94"),
    ),
  ).toBe(
    "page_changed: What the test typed (“Hello no. 31”) went into “Quick find”, where it went into “Note” in the last pass: the focus was elsewhere by then",
  );
});

test("a text that went where it goes, or that passes put elsewhere each, is no cause", () => {
  const other = run(...types("slept well", 4_000, fields("", ""), fields("slept well", "")), passing());
  for (const silent of [
    told(into("", "slept well"), usual, usual),
    told(into("slept well", ""), usual, other),
  ])
    expect(silent.join()).not.toContain("the focus was elsewhere");
});

test("a key at which the page takes the focus away stands in neither field, and what is typed later goes on there", () => {
  const torn = run(
    ...types("open 24/7 in summer", 3_000, fields("", ""), fields("7 in summer", "open 24")),
    ...types(
      " free entry",
      4_000,
      fields("7 in summer", "open 24"),
      fields("7 in summer free entry", "open 24"),
    ),
    failing(),
  );
  const whole = run(
    ...types("open 24/7 in summer", 3_000, fields("", ""), fields("", "open 24/7 in summer")),
    ...types(
      " free entry",
      4_000,
      fields("", "open 24/7 in summer"),
      fields("", "open 24/7 in summer free entry"),
    ),
    passing(),
  );
  expect(first(torn, whole, whole)).toBe(
    "page_changed: What the test typed (“open 24/7 in summer”) was torn apart: “Note” got “open 24”, and the rest (“7 in summer”) went into “Quick find”; something took the focus away meanwhile",
  );
});

/** The text “slept well” typed after a key, and what another key did after it. */
const pressed = (key: string, ts: number) =>
  click(`Press "${key}"`, { name: "keyboard.press", ts, step_id: `press ${ts}`, params: { key } });

test("what the Tab key comes to first is named where it stands before the field in no pass", () => {
  const cells = (value: string, between = "") =>
    `<input aria-label="Mon" value="7">${between}<input aria-label="Tue" value="${value}">`;
  const clear = '<button type="button">Clear</button>';
  const tabbed = (value: string, between = "", key = "Tab") => [
    pressed(key, 3_500),
    ...types("slept well", 4_000, cells("", between), cells(value, between)),
  ];
  const usually = run(...tabbed("slept well"), passing());
  const told =
    "page_changed: What the test typed (“slept well”) arrived in no field, where it went into “Tue” in the last pass: ";
  expect(first(run(...tabbed("", clear), failing()), usually)).toBe(
    `${told}the Tab key came to the button “Clear” first, which stands in the order of the focus before that field now`,
  );
  // What the Tab key passes by, what passes have there as well, and what another key comes to.
  const withClear = run(...tabbed("slept well", clear), passing());
  for (const silent of [
    first(run(...tabbed("", clear.replace("button ", 'button tabindex="-1" ')), failing()), usually),
    first(run(...tabbed("", clear), failing()), withClear),
    first(run(...tabbed("", clear, "F2"), failing()), run(...tabbed("slept well", "", "F2"), passing())),
  ])
    expect(silent).toBe(`${told}the focus was elsewhere by then`);
});

test("a dialog that does not give its field the focus is named, and the button that Enter pressed in it", () => {
  const dialog = (value: string) =>
    `<p>Home</p><div role="dialog" aria-label="Find"><button>Close</button><input aria-label="Service" value="${value}"></div>`;
  const typed = (text: string, value: string, ...more: Parameters<typeof run>) =>
    run(...types(text, 4_000, dialog(""), dialog(value)), ...more);
  const sentence =
    "page_changed: What the test typed (“lena.1795966461763@example.test”) arrived in no field, where it went into “Service” in the last pass: the dialog “Find” did not give it the focus";
  // Each run types an address of its own.
  const usually = ["lena.1795966056673@example.test", "lena.1795965939905@example.test"].map((one) =>
    typed(one, one, passing()),
  );
  expect(first(typed("lena.1795966461763@example.test", "", failing(), page(dialog(""))), ...usually)).toBe(
    sentence,
  );
  const entered = pressed("Enter", 4_500);
  expect(
    first(typed("lena.1795966461763@example.test", "", entered, failing(), page("<p>Home</p>")), ...usually),
  ).toBe(`${sentence}, and “Press "Enter"” closed that, as its button “Close” with the focus does`);
  expect(
    first(typed("lena.1795966461763@example.test", "", entered, failing(), page(dialog(""))), ...usually),
  ).toBe(sentence);
});

test("what was typed into nothing is why the form was refused that was sent afterwards", () => {
  const sent = (status: number, ts = 4_600) =>
    exchange("/api/notes", { ts, method: "POST", status, body: '{"message":"Write a note"}' });
  const typed = (value: string, status: number) =>
    types("slept well", 4_000, fields("", ""), fields("", value)).concat(sent(status));
  const usually = run(...typed("slept well", 201), passing());
  expect(first(run(...typed("", 422), failing()), usually)).toContain("arrived in no field");
  // What was refused before may be why the field was not there to take it.
  const before = [...sent(500, 3_900), ...types("slept well", 4_000, fields("", ""), fields("", ""))];
  expect(first(run(...before, failing()), usually)).toContain("was answered with 500");
});

test("what is typed on the keyboard may be of things that each run has its own of", () => {
  const typed = (text: string, note: string) => types(text, 4_000, fields("", ""), fields("", note));
  const passes = ["4607", "4731"].map((text) => run(...typed(text, text), passing()));
  expect(first(run(...typed("4544", ""), failing()), ...passes)).toBe(
    "page_changed: What the test typed (“4544”) arrived in no field, where it went into “Note” in the last pass: the focus was elsewhere by then",
  );
  expect(told(run(...typed("4544", "4544"), failing()), ...passes).join()).not.toContain(
    "arrived in no field",
  );
});

test("what is sent of a text that was torn apart between two fields comes after that, and first where the text arrived whole", () => {
  const form = (find: string, note: string) => fields(find, note).replace("Note", "Number");
  const check = {
    expected: '"Offer sent to customer 40 310 22"',
    received: '"Offer sent to customer 40 31"',
  };
  const went = (find: string, number: string, sent: string, end: ReturnType<typeof failing>) =>
    run(
      ...types("40 310 22", 4_000, form("", ""), form(find, number)),
      click("Click Send", { ts: 4_800 }),
      ...exchange("/api/offers", {
        ...{ ts: 4_850, method: "POST" },
        request: { body: JSON.stringify({ customer: sent }) },
      }),
      end,
    );
  const pass = went("", "40 310 22", "40 310 22", passing(check));
  expect(first(went("0 22", "40 31", "40 31", failing(check)), pass, pass)).toContain("was torn apart");
  expect(first(went("", "40 310 22", "40 31", failing(check)), pass, pass)).toStartWith(
    "page_changed: POST /api/offers was sent with the field customer “40 31”",
  );
});
