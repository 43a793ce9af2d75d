import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

/** An action with the page that it met; `found` in the markup marks what it found. */
const act = (title: string, name: string, html: string, more: Record<string, unknown> = {}) => [
  click(title, { name, ts: 4_000, step_id: title, ...more }),
  page(marked(html), { ts: 4_010, step_id: title, phase: "action", ...more }),
];
const marked = (html: string) => html.replace(" found", ' __playwright_target__=""');

const drag = (widget: string) =>
  act("Drag the table", "locator.dragTo", `<main><section ${widget}><h3 found>Table</h3></section></main>`);
const open = (link: string) =>
  act("Click Open", "locator.click", `<ul><li><a found ${link}>Open</a></li></ul>`);
const fill = (form: string) => act("Fill Amount", "locator.fill", form);

const foundIn = (mine: ReturnType<typeof act>, ...theirs: ReturnType<typeof act>[]) =>
  told(run(...mine, failing()), ...theirs.map((one) => run(...one, passing()))).find((title) =>
    /found (?!\d)|went into another/.test(title),
  );

test("what an action cannot do without is told where it is gone from the element or what is around it", () => {
  expect(first(run(...drag(""), failing()), run(...drag('draggable="true"'), passing()))).toBe(
    'page_changed: “Drag the table” found <section> around a heading “Table” without draggable, where the last pass has draggable="true"',
  );
  expect(
    first(run(...open('href="/a"'), failing()), run(...open('href="/a" target="_blank"'), passing())),
  ).toBe(
    'page_changed: “Click Open” found a link “Open” without target, where the last pass has target="_blank"',
  );
});

test("attributes that say the same to a browser, differ between passes or name ids of frameworks are none", () => {
  const button = (attributes: string) =>
    act("Click Save", "locator.click", `<form><button found ${attributes}>Save</button></form>`);
  expect(foundIn(button(""), button('type="submit"'))).toBeUndefined();
  expect(foundIn(button('type="button"'), button('type="submit"'))).toContain('type="button"');
  const offer = (path: string) => open(`href="/offers/${path}"`);
  expect(foundIn(offer("autumn"), offer("spring"), offer("summer"))).toBeUndefined();
  expect(foundIn(offer("autumn"), offer("spring"), offer("spring"))).toContain('href="/offers/autumn"');
  const ofForm = (id: string) => button(`form="${id}"`);
  expect(foundIn(ofForm(":r3:"), ofForm(":r1:"))).toBeUndefined();
});

test("a link is told by the parameters that its address has lost, and only where it leads to the same path", () => {
  const full = open('href="/report.csv?from=1&client=Pine"');
  expect(foundIn(open('href="/report.csv?from=1"'), full, full)).toContain(
    'with href="/report.csv?from=1", without the parameter “client”, where the last pass has href="/report.csv?from=1&client=Pine"',
  );
  expect(foundIn(open('href="/report.pdf?from=1"'), full, full)).not.toContain("without the parameter");
});

test("a page at another address is told with the link that led there, where it leads there", () => {
  const visit = exchange("/list", { resource_type: "document", ts: 3_000 });
  const went = (link: string, to: string, end = failing()) =>
    run(...visit, ...open(`href="${link}"`), page("<h1>List</h1>", { url: `${SITE}${to}` }), end);
  const usual = went("/list?kind=mugs&page=2", "/list?kind=mugs&page=2", passing());
  expect(first(went("/list?page=2", "/list?page=2"), usual, usual)).toBe(
    'redirected: The page was at /list?page=2 instead of /list?kind=mugs&page=2; “Click Open” found a link “Open” with href="/list?page=2", without the parameter “kind”, where the last pass has href="/list?kind=mugs&page=2"',
  );
  expect(told(went("/list?page=2", "/list"), usual, usual).join()).not.toContain("mugs&page=2; “Click");
});

test("a link without a slash leads on from the page that it was clicked on", () => {
  const went = (link: string, to: string, end = failing()) =>
    run(
      ...exchange("/desk", { resource_type: "document", ts: 3_000 }),
      ...act("Click Open", "locator.click", `<ul><li><a found href="${link}">Open</a></li></ul>`, {
        url: `${SITE}/desk`,
      }),
      page("<h1>Mugs</h1>", { url: `${SITE}${to}` }),
      end,
    );
  const usual = went("/desk/goods/9", "/desk/goods/9", passing());
  expect(first(went("goods/9", "/goods/9"), usual, usual)).toBe(
    'redirected: The page was at /goods/9 instead of /desk/goods/9; “Click Open” found a link “Open” with href="goods/9", where the last pass has href="/desk/goods/9"',
  );
});

test("a click on a label leads to the first of several elements with one id, and what is sent afterwards came of it", () => {
  const radio = (id: string, found: string) =>
    `<input type="radio" id="${id}" name="way"><label ${found} for="${id}">${found === "" ? "Post" : "Express"}</label>`;
  const chosen = (post: string, express: string, way: string, ts: number, end: ReturnType<typeof failing>) =>
    run(
      ...act("Click Express", "locator.click", `<form>${radio(post, "")}${radio(express, " found")}</form>`),
      ...exchange("/api/delivery", { method: "PUT", ts, request: { body: JSON.stringify({ way }) } }),
      end,
    );
  const usual = chosen("way-post", "way-express", "express", 4_200, passing());
  const sent = "PUT /api/delivery was sent with the field way “post” where the last pass sent “express”";
  expect(first(chosen("way", "way", "post", 4_200, failing()), usual, usual)).toBe(
    `page_changed: “Click Express” found <label> “Express” with for="way", an id that 2 elements of the page have, so that it leads to the first of them, where the last pass has for="way-express"; ${sent}`,
  );
  // What went out before the click, and a label whose field got another id with it, explain nothing.
  const early = chosen("way-post", "way-express", "express", 3_900, passing());
  expect(told(chosen("way", "way", "post", 3_900, failing()), early, early).join("\n")).not.toContain(
    `express"; PUT`,
  );
  expect(told(chosen("post", "express", "post", 4_200, failing()), usual, usual)).toContain(
    `page_changed: ${sent}`,
  );
});

test("a locator that found another field than in every pass", () => {
  const usual = fill('<main><form><input found id="amount" name="amount"></form></main>');
  const quick = fill('<nav><form class="quick"><input found placeholder="0.00"></form></nav>');
  expect(foundIn(quick, usual, usual)).toBe(
    'page_changed: “Fill Amount” found another element than in the last pass: <input placeholder="0.00"> in <form class="quick">, where that had <input id="amount" name="amount"> in <form>',
  );
  // What stands in one more element is the same field.
  const wrapped = fill('<main><form><div><input found id="amount" name="amount"></div></form></main>');
  expect(foundIn(wrapped, usual, usual)).toBeUndefined();
  // A page that was sent elsewhere has other fields.
  const elsewhere = act("Fill Amount", "locator.fill", '<main><input found name="user"></main>', {
    url: "http://shop.example/login",
  });
  expect(foundIn(elsewhere, usual, usual)).toBeUndefined();
});

test("a label whose id stands twice leads to the first of both, with and without a pass", () => {
  const form = (before: string, found = "") =>
    fill(
      `${before}<main><form><label for="amount">Amount</label><input ${found} id="amount" name="amount"></form></main>`,
    );
  const quick = form('<nav><form class="quick"><input found id="amount" placeholder="0.00"></form></nav>');
  const said =
    "page_changed: “Fill Amount” went into another field than the one beside the label “Amount”: the id “amount” stands twice on the page, and a textbox “Amount” (placeholder “0.00”) in the form “quick” comes first, before a textbox “Amount” in the form";
  expect(foundIn(quick, form("", "found"))).toBe(said);
  expect(foundIn(quick)).toBe(said);
  expect(foundIn(form("", "found"))).toBeUndefined();
  // Passes that go the same way tell that it does no harm.
  expect(foundIn(quick, quick)).toBeUndefined();
  // The rows of a list with one id each are no two fields that were confused.
  const rows = "<tr><td><label for=amount>Amount</label><input id=amount></td></tr>".repeat(3);
  expect(foundIn(fill(`<table>${rows.replace("<input", "<input found")}</table>`))).toBeUndefined();
  const shared = (label: string) =>
    form(`<nav><form><label for="amount">${label}</label><input found id="amount"></form></nav>`);
  expect(first(run(...shared("Discount"), failing()))).toEndWith(
    "stands twice on the page, and the field beside the label “Discount” comes first",
  );
});

test("what went into another field by a label comes before the refusal of that field", () => {
  const form = (before: string, found: string, sent: object, more: object = {}) => [
    ...act(
      "Fill Amount",
      "locator.fill",
      `<main><form>${before}<label for="amount">Amount</label><input ${found} id="amount"></form></main>`,
      { params: { value: "750" } },
    ),
    ...exchange("/api/offers", {
      ts: 4_500,
      method: "POST",
      request: { body: JSON.stringify(sent) },
      ...more,
    }),
  ];
  const usual = run(...form("", "found", { mail: "a@b.example", amount: "750" }), passing());
  const mail = '<label for="amount">E-mail</label><input found id="amount">';
  const cause = (sent: object) =>
    first(run(...form(mail, "", sent, { status: 422, body: "No" }), failing()), usual, usual);
  expect(cause({ mail: "750", amount: "" })).toContain("stands twice on the page");
  expect(cause({ mail: "a@c.example", amount: "750" })).toStartWith("request_failed: POST /api/offers");
});

test("what went into another field by a label comes before the answer to what was sent with it, and after that to another field", () => {
  const nothing = "Nothing offered yet";
  const check = { expected: '"750 euros offered"', received: `"${nothing}"` };
  const form = (before: string, found: string, sent: object, total: string, more: object = {}) => [
    ...act(
      "Fill Amount",
      "locator.fill",
      `<main><form>${before}<label for="amount">Amount</label><input ${found} id="amount"></form></main>`,
      { params: { value: "750" } },
    ),
    ...exchange("/api/offers", {
      ...{ ts: 4_500, method: "POST", request: { body: JSON.stringify(sent) } },
      body: JSON.stringify({ total }),
      ...more,
    }),
  ];
  const usual = run(
    ...form("", "found", { mail: "a@b.example", amount: "750" }, "750 euros offered"),
    passing(check),
  );
  const mail = '<label for="amount">E-mail</label><input found id="amount">';
  const cause = (sent: object) => first(run(...form(mail, "", sent, nothing), failing(check)), usual, usual);
  expect(cause({ mail: "750", amount: "" })).toContain("stands twice on the page");
  expect(cause({ mail: "a@c.example", amount: "750" })).toStartWith("answer_changed: POST /api/offers");
  // So it comes before what broke the server.
  const broken = (sent: object) =>
    first(run(...form(mail, "", sent, nothing, { status: 500 }), failing(check)), usual, usual);
  expect(broken({ mail: "750", amount: "" })).toContain("stands twice on the page");
  expect(broken({ mail: "a@c.example", amount: "750" })).toStartWith("request_failed: POST /api/offers");
  // And what was sent right before the step, of which nothing came back.
  const last = (before: string, found: string, sent: object) =>
    form(before, found, sent, "", { ts: 4_900, body: "{}" });
  const pass = run(...last("", "found", { mail: "a@b.example", amount: "750" }), passing(check));
  expect(first(run(...last(mail, "", { mail: "750", amount: "" }), failing(check)), pass, pass)).toContain(
    "stands twice on the page",
  );
});

describe("a label between two fields of one id", () => {
  const between = (field: string) =>
    fill(`<form><input found id="no" ${field}><label for="no">Phone</label><input id="no" ${field}></form>`);

  test("is for the one right behind it, and leads to the one before it", () => {
    expect(foundIn(between('type="tel"'))).toContain(
      "went into another field than the one beside the label “Phone”: the id “no” stands twice",
    );
  });

  test("stands behind a box to tick, and may have another field behind it", () => {
    expect(foundIn(between('type="checkbox"'))).toBeUndefined();
    const other =
      '<form><input found id="no"><label for="no">Phone</label><input id="fax"><input id="no"></form>';
    expect(foundIn(fill(other))).toBeUndefined();
  });
});

test("what a form is sent without is no cause beside the field that it went into", () => {
  const typed = (form: string) => fill(form).map((one) => ({ ...one, params: { value: "+49 341" } }));
  const send = (phone: string) =>
    exchange("/api/profile", { method: "PUT", ts: 4_500, request: { body: JSON.stringify({ phone }) } });
  const field = '<label for="no">Phone</label><input id="no">';
  const usual = run(
    ...typed(`<form>${field.replace("<input", "<input found")}</form>`),
    ...send("+49 341"),
    passing(),
  );
  const twice = typed(`<form><input found id="no">${field}</form>`);
  expect(first(run(...twice, ...send(""), failing()), usual, usual)).toContain("went into another field");
});

test("where both fields have a label, the one that the action names is beside its own", () => {
  const form = (before: string, found = "") =>
    fill(
      `${before}<main><form><label for="amount">Amount</label><input ${found} id="amount" name="amount"></form></main>`,
    );
  const filter = form(
    '<nav><form class="bar"><label for="amount">At least</label><input found id="amount" name="min"></form></nav>',
  );
  expect(foundIn(filter)).toContain("the one beside the label “Amount”: the id “amount” stands twice");
});

test("what went into another field is told before the refusal of what lacks it", () => {
  const typed = (html: string) => fill(html).map((one) => ({ ...one, params: { value: "41.50" } }));
  const usualForm = '<main><form><input found id="amount" name="amount"></form></main>';
  const otherForm = '<nav><form class="bar"><input found id="least" name="min"></form></nav>';
  const send = (amount: string, status: number, ts = 4_500) =>
    exchange("/api/pay", {
      method: "POST",
      ts,
      status,
      request: { body: JSON.stringify({ amount }) },
      body: '{"message":"Not taken"}',
    });
  const usual = run(...typed(usualForm), ...send("41.50", 200), passing());
  const toldFirst = (...events: Parameters<typeof run>) => first(run(...events, failing()), usual, usual);
  expect(toldFirst(...typed(otherForm), ...send("", 422))).toStartWith(
    "page_changed: “Fill Amount” found another element than in the last pass",
  );
  // What was typed was sent, or another part is missing, or it was refused before.
  expect(toldFirst(...typed(otherForm), ...send("41.50", 422))).toStartWith("request_failed: ");
  expect(toldFirst(...typed(usualForm), ...send("", 422))).toStartWith("request_failed: ");
  expect(toldFirst(...send("", 422, 3_900), ...typed(otherForm))).toStartWith("request_failed: ");
});

test("of a run alone a field beside the label leads the refusal of what lacks the value, and of nothing else", () => {
  const forms =
    '<nav><form class="quick"><input found id="amount"></form></nav><main><form><label for="amount">Amount</label><input id="amount" name="amount"></form></main>';
  const typed = fill(forms).map((one) => ({ ...one, params: { value: "41.50" } }));
  const refusal = (amount: string) =>
    exchange("/api/pay", {
      method: "POST",
      ts: 4_980,
      status: 422,
      request: { body: JSON.stringify({ amount }) },
    });
  expect(first(run(...typed, ...refusal(""), failing()))).toContain("went into another field");
  expect(first(run(...typed, ...refusal("41.50"), failing()))).toStartWith("request_failed: ");
});

test("what went into another field is told before the page's word that the right one is empty, and before no other", () => {
  const label = '<label for="amount">Amount</label><input id="amount" name="amount">';
  const other = '<nav><form class="quick"><input found id="amount"></form></nav>';
  const filled = (html: string) => fill(html).map((one) => ({ ...one, params: { value: "41.50" } }));
  const typed = filled(`${other}<main><form>${label}</form></main>`);
  const rest = `<nav><form class="quick"><input id="amount" value="41.50"></form></nav><main><form>${label}`;
  const says = (words: string) =>
    run(...typed, failing(), page(`${rest}<p role="alert">${words}</p></form></main>`));
  const usual = run(
    ...filled(`<main><form>${label.replace("<input", "<input found")}</form></main>`),
    passing(),
  );
  expect(first(says("An amount is required"), usual)).toContain("went into another field");
  expect(first(says("An amount is required"))).toContain("went into another field");
  expect(first(says("Your card was declined"), usual)).toStartWith("page_message: The page said “Your card");
});

const type = (text: string, before: string, after: string) => [
  ...act("Type the note", "keyboard.type", before, { params: { text } }),
  page(after, { ts: 4_400, step_id: "Type the note", phase: "after" }),
];

test("a text whose beginning and rest went into two fields was torn apart, whatever they held before", () => {
  const fields = (title: string, note: string) =>
    `<input aria-label="Title" value="${title}"><div aria-label="Notes" contenteditable="true">${note}</div>`;
  const torn = type(
    "Quarter closed",
    fields("Report 7", "First draft"),
    fields("Report 7rter closed", "Qua"),
  );
  const whole = type(
    "Quarter closed",
    fields("Report 7", "First draft"),
    fields("Report 7", "Quarter closed"),
  );
  const said =
    "page_changed: What the test typed (“Quarter closed”) was torn apart: “Notes” got “Qua”, and the rest (“rter closed”) went into “Title”; something took the focus away meanwhile";
  expect(first(run(...torn, failing()))).toBe(said);
  expect(first(run(...torn, failing()), run(...whole, passing()))).toBe(said);
  expect(told(run(...torn, failing()), run(...torn, passing())).join()).not.toContain("torn");
  expect(told(run(...whole, failing())).join()).not.toContain("torn");
});

test("a field that drops what it does not take, and one that mirrors the other, tear nothing apart", () => {
  const amount = (value: string, shown: string) =>
    `<input name="amount" value="${value}"><output>${shown}</output><input name="search" value="">`;
  const digits = type("00412", amount("", ""), amount("412", "412"));
  expect(told(run(...digits, failing()), run(...digits, passing())).join()).not.toContain("torn");
  const slug = (title: string, path: string) =>
    `<input name="title" value="${title}"><input name="path" value="${path}">`;
  const mirrored = type("Autumn sale", slug("", ""), slug("Autumn sale", "autumn-sale"));
  expect(told(run(...mirrored, failing())).join()).not.toContain("torn");
});

test("what a script writes by an id goes to the first of two, where the step looks at the second", () => {
  const shown = (notice: string) =>
    page(`${notice}<main><strong id="total" class="sum">0.00</strong></main>`);
  const looks = { title: "Expect total", message: "Locator: locator('main .sum')" };
  const twice = run(failing(looks), shown('<aside><b id="total">81.40</b></aside>'));
  const once = run(passing(looks), shown(""));
  expect(first(twice, once)).toBe(
    "page_changed: The id “total” stands twice on the page, and once in the last pass: <b> “81.40” comes before the element that the step looked at, and gets what is written by that id",
  );
  expect(first(twice)).toStartWith("page_changed: The id “total” stands twice on the page: <b> “81.40”");
  const always = run(passing(looks), shown('<aside><b id="total">81.40</b></aside>'));
  expect(told(twice, always).join()).not.toContain("stands twice");
  const after = page('<main><strong id="total" class="sum">0.00</strong></main><b id="total">81.40</b>');
  expect(told(run(failing(looks), after)).join()).not.toContain("stands twice");
});

test("a text that went to the first of two with one id is told where nobody sees it there", () => {
  const shown = (count: string, more = "") => page(`${more}<main><p id="count">${count}</p></main>`);
  const looks = { title: "Expect count", message: "Locator: getByText('7 lamps')" };
  const hidden = '<nav><i id="count" hidden>7 lamps</i></nav>';
  const failed = run(failing({ ...looks, received: "hidden" }), shown("9 lamps", hidden));
  const usual = run(passing(looks), shown("7 lamps"));
  expect(first(failed, usual, usual)).toBe(
    "page_changed: The id “count” stands twice on the page, and once in the last pass: <i> “7 lamps” comes before the element that the step looked at, and gets what is written by that id",
  );
  const other = hidden.replace("count", "lamps");
  expect(told(run(failing(looks), shown("9 lamps", other)), usual).join()).not.toContain("stands twice");
  // Passes look at other elements, and may mean neither.
  const elsewhere = run(passing(looks), page('<p id="lamps">7 lamps</p><p id="count">9 lamps</p>'));
  expect(told(failed, usual, elsewhere).join()).not.toContain("stands twice");
});

test("a key that a field took as a letter, and in passes none did", () => {
  const search = (value: string) => `<input aria-label="Search" value="${value}">`;
  const press = (key: string, value: string) => [
    ...act("Press a key", "page.keyboardPress", search(""), { params: { key } }),
    page(search(value), { ts: 4_100, step_id: "Press a key", phase: "after" }),
  ];
  const taken = run(...press("n", "n"), failing());
  expect(first(taken, run(...press("n", ""), passing()))).toBe(
    "page_changed: “Press a key” wrote “n” into the field “Search”, which had the focus; in the last pass no field took it",
  );
  expect(told(taken, run(...press("n", "n"), passing())).join()).not.toContain("had the focus");
  const entered = run(...press("Enter", "Enter"), failing());
  expect(told(entered, run(...press("Enter", ""), passing())).join()).not.toContain("had the focus");
});

test("a page that is still at the sign-in comes of the button that does not send its form", () => {
  const at = (url: string) => ({ url: `http://shop.example${url}` });
  const form = (type: string) =>
    act(
      "Click Sign in",
      "locator.click",
      `<form method="post" action="/login"><input name="name"><button found type="${type}">Sign in</button></form>`,
      at("/login?next=%2Forders"),
    );
  const away = [
    ...exchange("/orders", {
      ts: 1_000,
      resource_type: "document",
      status: 302,
      headers: [{ name: "location", value: "/login?next=%2Forders" }],
    }),
    ...exchange("/login?next=%2Forders", { ts: 1_100, resource_type: "document", body: "<h1>Sign in</h1>" }),
  ];
  const sent = [
    ...exchange("/login", { ts: 4_100, method: "POST", resource_type: "document", status: 302 }),
    ...exchange("/orders", { ts: 4_200, resource_type: "document" }),
  ];
  const check = {
    name: "toHaveURL",
    title: 'Expect "toHaveURL"',
    message: "expect(page).toHaveURL(expected) failed",
    expected: "/orders$/",
    received: '"http://shop.example/login?next=%2Forders"',
  };
  const usual = run(
    ...away,
    ...form("submit"),
    ...sent,
    page("<h1>Orders</h1>", at("/orders")),
    passing(check),
  );
  const cause = (type: string) =>
    told(
      run(...away, ...form(type), page("<h1>Sign in</h1>", at("/login?next=%2Forders")), failing(check)),
      usual,
    );
  expect(cause("button")[0]).not.toStartWith("redirected: ");
  expect(cause("button").join("\n")).toContain('found a button “Sign in” with type="button"');
  expect(cause("submit")[0]).toStartWith("request_unsent: POST /login was never sent");
});
