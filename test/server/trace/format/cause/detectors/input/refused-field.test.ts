import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { allows } from "../../../../../../../server/trace/format/cause/alone/input/pattern.ts";
import { document, first, missed, told } from "../../alone/scene.ts";
import { causeOf, click, exchange, failing, page, run } from "../../run.ts";

const NOT_SENT = "The browser did not send the form";
const PHONE = `<label>Phone <input type="tel" name="phone" pattern="[0-9]{8,12}" __playwright_value_="+31 6 1234"></label>`;
const BUTTON = `<button __playwright_target__="">Save</button>`;

const fill = (selector: string, value: string) =>
  click(`Fill ${selector}`, { name: "page.fill", ts: 3_000, params: { selector, value } });
const gesture = (html: string, more: Record<string, unknown> = {}) => [
  click("Click Save", { name: "page.click", ts: 4_000, step_id: "save", ...more }),
  page(html, { ts: 4_010, step_id: "save", phase: "action" }),
];
/** A run that presses a button of a page, which stays as it is. */
const pressed = (html: string, ...before: ReturnType<typeof click>[]) =>
  run(...before, ...gesture(html), failing(), page(html));
const held = (html: string, ...before: ReturnType<typeof click>[]) => first(pressed(html, ...before));
const isSaid = (events: Parameters<typeof told>[0]) => told(events).join("\n").includes(NOT_SENT);

test("a form that the browser did not send for a field that its pattern does not allow", () => {
  expect(held(`<form>${PHONE}${BUTTON}</form>`)).toBe(
    `page_message: ${NOT_SENT}: its field “Phone” has “+31 6 1234”, which its pattern [0-9]{8,12} does not allow`,
  );
  // A button may stand elsewhere, and what is clicked in it.
  const apart = `<form id="address">${PHONE}</form><button form="address"><b __playwright_target__="">Save</b></button>`;
  expect(held(apart)).toContain("its field “Phone” has");
});

test("Enter in a field sends its form as its button does", () => {
  const html = `<form><label>Name <input name="name" __playwright_value_="Ana" __playwright_target__=""></label>${PHONE}<button>Save</button></form>`;
  const enter = { name: "locator.press", params: { selector: "getByLabel('Name')", key: "Enter" } };
  expect(isSaid(run(...gesture(html, enter), failing(), page(html)))).toBe(true);
  const letter = { ...enter, params: { ...enter.params, key: "a" } };
  expect(isSaid(run(...gesture(html, letter), failing(), page(html)))).toBe(false);
  const unmarked = html.replace(' __playwright_target__=""', "");
  const keyboard = { name: "page.keyboardPress", params: { key: "Enter" } };
  const filled = fill("#phone", "+31 6 1234");
  const byId = unmarked.replace("<input type", '<input id="phone" type');
  expect(isSaid(run(filled, ...gesture(byId, keyboard), failing(), page(byId)))).toBe(true);
});

describe("the limits of a field", () => {
  const FIELDS: [field: string, words: string | null][] = [
    [`required __playwright_value_=""`, "is required and empty"],
    [`required __playwright_value_=" "`, null],
    [`type="checkbox" required`, "must be ticked and is not"],
    [`type="checkbox" required __playwright_checked_="true"`, null],
    [`type="radio" required name="size"`, "needs one of its options, and none is picked"],
    [`type="email" __playwright_value_="ana@"`, "has “ana@”, which is no e-mail address"],
    [`type="email" __playwright_value_="ana@shop.example"`, null],
    [`type="email" __playwright_value_="ana@bücher.example"`, null],
    [`type="url" __playwright_value_="shop.example"`, "has “shop.example”, which is no whole address (URL)"],
    [`type="number" min="5" __playwright_value_="3"`, "has “3”, which is less than its min 5"],
    [`type="number" max="9" __playwright_value_="12"`, "has “12”, which is more than its max 9"],
    [
      `type="number" min="0" __playwright_value_="12.5"`,
      "has “12.5”, which its step 1 from 0 does not allow (it has no attribute “step”)",
    ],
    [`type="number" min="0" step="0.1" __playwright_value_="12.3"`, null],
    [`type="number" min="0" step="any" __playwright_value_="12.55"`, null],
    // Without a least number, steps begin at what the field held first.
    [`type="number" __playwright_value_="12.5"`, null],
    [
      `type="date" min="2030-05-01" __playwright_value_="2030-04-30"`,
      "has “2030-04-30”, which is before its min 2030-05-01",
    ],
    [`type="time" min="22:00" max="06:00" __playwright_value_="12:00"`, null],
    // Nobody typed it.
    [`minlength="8" __playwright_value_="short"`, null],
    // No pattern for a browser.
    [`pattern="[0-9" __playwright_value_="a"`, null],
    [
      `name="card" pattern="[0-9]{16}" __playwright_value_="4111 1111"`,
      "has a value, which its pattern [0-9]{16} does not allow",
    ],
  ];
  for (const [field, words] of FIELDS)
    test(`${field}: ${words ?? "kept"}`, () => {
      const html = `<form><label>Given <input ${field}></label>${BUTTON}</form>`;
      if (words === null) expect(isSaid(pressed(html))).toBe(false);
      else expect(held(html)).toBe(`page_message: ${NOT_SENT}: its field “Given” ${words}`);
    });

  test("how long a text is, is asked of what a person typed", () => {
    const html = `<form><label>Note <textarea name="note" minlength="8" __playwright_value_="short"></textarea></label>${BUTTON}</form>`;
    expect(isSaid(pressed(html))).toBe(false);
    expect(held(html, fill("getByLabel('Note')", "short"))).toBe(
      `page_message: ${NOT_SENT}: its field “Note” has “short”, which is shorter than its minlength 8`,
    );
  });

  test("a password is told without what was typed", () => {
    const html = `<form><label>Password <input type="password" pattern=".{12,}"></label>${BUTTON}</form>`;
    expect(isSaid(pressed(html))).toBe(false);
    expect(held(html, fill("getByLabel('Password')", "hunter2"))).toBe(
      `page_message: ${NOT_SENT}: its field “Password” has a value, which its pattern .{12,} does not allow`,
    );
  });
});

test("a field of numbers without a least one and without a step goes by what the served page had in it", () => {
  const html = `<form><label>Amount <input type="number" name="amount" __playwright_value_="4.35"></label>${BUTTON}</form>`;
  const served = (field: string, more: object = {}) =>
    document("/checkout", `<form><input ${field}></form>`, { ts: 1_000, ...more });
  const cause = (...before: ReturnType<typeof document>) =>
    told(run(...before, ...gesture(html), failing(), page(html))).join("\n");
  expect(cause(...served(`name="amount" type="number" required`))).toStartWith(
    `page_message: ${NOT_SENT}: its field “Amount” has “4.35”, which its step 1 from 0 does not allow (it has no attribute “step”)`,
  );
  expect(cause(...served(`name="amount" type="number" value="1.5"`))).toContain("its step 1 from 1.5");
  const silent = [
    served(`name="amount" type="number" value="0.35"`),
    served(`name="amount" type="number" value=0.35`),
    served(`name="other" type="number"`),
    served(`name="amount"><input name="amount"`),
  ];
  for (const one of silent) expect(cause(...one)).not.toContain(NOT_SENT);
});

test("nothing is said of a form whose fields the browser does not look at", () => {
  expect(isSaid(pressed(`<form novalidate>${PHONE}${BUTTON}</form>`))).toBe(false);
  expect(isSaid(pressed(`<form>${PHONE}${BUTTON.replace("<button", "<button formnovalidate")}</form>`))).toBe(
    false,
  );
  expect(isSaid(pressed(`<form>${PHONE}${BUTTON.replace("<button", '<button type="button"')}</form>`))).toBe(
    false,
  );
  expect(isSaid(pressed(`<form>${PHONE}</form><form><input name="q">${BUTTON}</form>`))).toBe(false);
  for (const bar of ["disabled", "readonly", 'type="hidden"'])
    expect(isSaid(pressed(`<form>${PHONE.replace('type="tel"', bar)}${BUTTON}</form>`))).toBe(false);
  expect(isSaid(pressed(`<form><fieldset disabled>${PHONE}</fieldset>${BUTTON}</form>`))).toBe(false);
});

test("nothing is said of a form that was sent, or of whose press something came", () => {
  const html = `<form>${PHONE}${BUTTON}</form>`;
  const sent = exchange("/address", { method: "POST", ts: 4_100 });
  expect(isSaid(run(...gesture(html), ...sent, failing(), page(html)))).toBe(false);
  expect(
    isSaid(run(...gesture(html), ...document("/address", html, { ts: 4_100 }), failing(), page(html))),
  ).toBe(false);
  expect(isSaid(run(...gesture(html), failing(), page(`<h1>Address kept</h1>${html}`)))).toBe(false);
  const asks = { kind: "page.dialog", ts: 4_100, type: "confirm", message: "Sure?" };
  expect(isSaid(run(...gesture(html), asks, failing(), page(html)))).toBe(false);
  // What the page has set back since, it had taken.
  expect(isSaid(run(...gesture(html), failing(), page(html.replace("+31 6 1234", ""))))).toBe(false);
  // What the page says is wrong with it is no news, and trackers are nobody's writes.
  const counted = exchange("/analytics/collect", { method: "POST", ts: 4_100 });
  const told = page(`${html}<p class="error">Phone is invalid</p>`);
  expect(isSaid(run(...gesture(html), ...counted, failing(), told))).toBe(true);
});

describe("patterns", () => {
  test("are asked of the whole value, as browsers do", () => {
    expect(allows("[0-9]{4}", "1234")).toBe(true);
    expect(allows("[0-9]{4}", "12345")).toBe(false);
    expect(allows("cat|dog", "dogs")).toBe(false);
    expect(allows("(\\d{4} ?){4}", "4111")).toBeNull();
    expect(allows("(?=.*\\d)(?=.*[a-z]).{8,}", "abcdefg1")).toBe(true);
    expect(allows("[a-z0-9._%+\\-]+@[a-z0-9.\\-]+\\.[a-z]{2,}", "ana at home")).toBe(false);
    expect(allows("\\p{Lu}[\\p{L}\\-]*", "Ana")).toBe(true);
    // With the flag `v` it is none.
    expect(allows("[(]", "(")).toBeNull();
  });

  const SLOW = [
    "(a+)+",
    "(a|a)*",
    "(?:a?){50}a{50}",
    "(a*)*",
    "((a{2})+)+",
    "a*a*a*a*a*a*a*a*b",
    "(a|a)(a|a)".repeat(10),
    "(a*[[a](])*",
    "a{99999}",
    ")(",
    "a?".repeat(40),
  ];
  for (const pattern of SLOW)
    test(`${pattern} is not tried`, () => expect(allows(pattern, `${"a".repeat(60)}!`)).toBeNull());

  test("of any form say what browsers say of them, or nothing", () => {
    const part = fc.constantFrom(
      ..."ab[](){}*+?|\\^$.-,0123456789:=!<>pdwuk&",
      "[a-z]",
      "{2,3}",
      "(?:",
      "\\d",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 16 }), fc.string({ maxLength: 12 }), (parts, value) => {
        const pattern = parts.join("");
        const said = allows(pattern, value);
        expect(said === null || said === new RegExp(`^(?:${pattern})$`, "v").test(value)).toBe(true);
      }),
    );
  });

  test("long ones and long values are not tried", () => {
    expect(allows("a".repeat(201), "a")).toBeNull();
    expect(allows("a", "a".repeat(81))).toBeNull();
  });
});

test("an error that the page threw at the press comes first", () => {
  const html = `<form>${PHONE}${BUTTON}</form>`;
  const thrown = {
    kind: "console.error",
    source: "page",
    ts: 4_100,
    text: "TypeError: form.check is not a function",
  };
  const events = run(...gesture(html), thrown, failing(), page(html));
  expect(first(events)).toStartWith("page_error:");
  expect(isSaid(events)).toBe(true);
});

test("a form that the browser held back is told by its own words", () => {
  const line = {
    kind: "console.error",
    text: "An invalid form control with name='company' is not focusable.",
    ts: 4_900,
  };
  expect(first(run(...exchange("/"), line, failing()))).toStartWith(
    "page_message: The browser did not send the form: its field “company” is not valid",
  );
});

describe("beside passes", () => {
  const html = (limit: string) =>
    `<form><label>Referral <input name="referral" ${limit} __playwright_value_=""></label>${BUTTON}</form>`;
  const served = (limit: string) => document("/patients/new", html(limit));
  const next = missed("getByRole('button', { name: 'Create' })");
  const failed = (limit: string) =>
    run(...served(limit), ...gesture(html(limit)), next, page(html(limit), { step_id: "check" }));
  const usual = (limit: string) =>
    run(...served(limit), ...gesture(html(limit)), click("Click getByRole('button', { name: 'Create' })"));

  test("a form that was not sent comes before the button that it was to lead to, told with the limit that was served", () => {
    expect(causeOf(failed("required"), usual("")).headline).toBe(
      `${NOT_SENT}: its field “Referral” is required and empty; GET /patients/new came with required in <input name="referral">, where the last pass had none`,
    );
  });

  test("a form that passes do not send either explains nothing", () => {
    const titles = causeOf(failed("required"), usual("required")).suspects.map(({ title }) => title);
    expect(titles.join("\n")).not.toContain(NOT_SENT);
  });

  test("the browser's own word for it comes first, where no pass has it", () => {
    const line = {
      kind: "console.error",
      text: "An invalid form control with name='code' is not focusable.",
      ts: 4_900,
    };
    const gone = "<form><button>Back</button></form>";
    const of = (...events: Parameters<typeof run>) => run(...exchange("/"), ...events);
    const passed = click("Click getByRole('button', { name: 'Create' })", { ts: 5_000, step_id: "check" });
    const [suspect] = causeOf(of(line, next, page(gone)), of(passed)).suspects;
    expect(suspect!.title).toStartWith(`${NOT_SENT}: its field “code” is not valid`);
    expect(causeOf(of(line, next, page(gone)), of(line, passed)).headline).not.toContain(NOT_SENT);
  });
});

describe("a page that shows a figure which it asks for by itself", () => {
  const online = (count: number, ts: number) =>
    exchange("/api/presence", { ts, body: JSON.stringify({ online: count }) });
  const of = (text: string) => `<p>${text}</p><form>${PHONE}${BUTTON}</form>`;
  const held = (now: string) =>
    isSaid(
      run(...online(3, 1_000), ...gesture(of("3 online")), ...online(4, 5_500), failing(), page(of(now))),
    );

  test("stays as it was though that is another one", () => {
    expect(held("4 online")).toBe(true);
  });

  test("does not where another text is another one", () => {
    expect(held("4 in the cart")).toBe(false);
  });
});

describe("a form that is held back after something was typed into another field", () => {
  const html = `<form><label for="f">E-mail</label><input id="f" type="email" name="email" __playwright_value_="wrong"><label for="f">Password</label><input id="f" type="password" name="password" __playwright_value_="">${BUTTON}</form>`;
  const typed = click("Fill getByLabel('Password')", {
    ...{ name: "page.fill", ts: 3_000, step_id: "type" },
    params: { selector: 'internal:label="Password"i', value: "wrong" },
  });

  test("is told after the id by which its label led there", () => {
    const titles = told(
      run(
        page(html.replace('__playwright_value_="wrong"', '__playwright_value_="" __playwright_target__=""'), {
          ts: 3_005,
          step_id: "type",
          phase: "action",
        }),
        typed,
        ...gesture(html),
        failing(),
        page(html),
      ),
    );
    expect(titles[0]).toContain("the id “f” stands twice on the page");
    expect(titles.some((title) => title.includes(NOT_SENT))).toBe(true);
  });
});
