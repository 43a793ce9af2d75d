import { expect, test } from "bun:test";
import { servedElements } from "../../../../../../../server/trace/format/cause/exchanges/served-elements.ts";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const served = (html: string, more: object = {}) =>
  exchange("/papers", { resource_type: "document", media_type: "text/html", ts: 3_000, body: html, ...more });
const missed = failing({
  title: "Expect \"toBeVisible\" getByRole('button', { name: 'One more' })",
  message: "Locator: getByRole('button', { name: 'One more' })\nError: element(s) not found",
  expected: undefined,
  received: undefined,
});
const stepper = (mode: string, more = "") =>
  `<h1>Papers</h1><x-step><template shadowrootmode="${mode}"><button aria-label="One more" ${more}>+</button></template></x-step>`;
const isTold = (...given: Parameters<typeof told>) => / came with .* in </.test(told(...given).join("\n"));

test("what encloses the element that is looked for came with another attribute", () => {
  const usual = run(...served(stepper("open")), passing());
  expect(first(run(...served(stepper("closed")), missed), usual, usual)).toBe(
    'answer_changed: GET /papers came with shadowrootmode="closed" in <template> around <button aria-label="One more">, where the last pass had shadowrootmode="open"',
  );
});

test("the element that the last action used lost an attribute, told with what the action then did", () => {
  const link = (more: string) => `<nav><a href="/papers.csv" ${more}>Get them</a></nav>`;
  const clicked = click("Click getByRole('link', { name: 'Get them' })", { ts: 4_000 });
  const sent = (ts: number) => exchange("/api/papers", { method: "POST", ts, request: { body: "{}" } });
  const usual = run(...served(link('x-boost="off"')), clicked, ...sent(4_010), passing());
  const lost = run(...served(link("")), clicked, failing());
  expect(told(lost, usual, usual).join("\n")).toContain(
    'GET /papers came without x-boost in <a href="/papers.csv">, where the last pass had x-boost="off"',
  );
  const twice = run(...served(link("")), clicked, ...sent(4_010), ...sent(4_020), failing());
  expect(first(twice, usual, usual)).toMatch(
    /^request_repeated: POST .* sent twice.*; GET \/papers came with/,
  );
});

test("a field is found by its label", () => {
  const form = (more: string) => `<form><label for="code">Code</label><input id="code" ${more}></form>`;
  const typed = click("Press getByLabel('Code')", { ts: 4_000, name: "press" });
  const usual = run(...served(form("")), typed, passing());
  expect(told(run(...served(form('x-post="/scan"')), typed, failing()), usual, usual).join()).toContain(
    'GET /papers came with x-post="/scan" in <input id="code">, where the last pass had none',
  );
});

test("names of attributes are told whole, and one that says the same by another name with that name", () => {
  const table = (more: string) => `<table ${more}><tr><td><button>One more</button></td></tr></table>`;
  const usual = run(...served(table('hx-target:inherited="#all"')), passing());
  expect(first(run(...served(table('hx-target="#all"')), missed), usual, usual)).toBe(
    'answer_changed: GET /papers came with hx-target="#all" in <table> around <button> “One more”, where the last pass had hx-target:inherited="#all"',
  );
  const button = (more: string) => `<div><button ${more}>Another</button></div>`;
  for (const [was, now] of [
    ['@click.prevent="add()"', '@click="add()"'],
    ['x-on:click.once="add()"', 'x-on:click="add()"'],
    ['hx-on::after-request="add()"', 'hx-on::before-request="add()"'],
  ] as const) {
    const before = run(...served(button(was)), passing());
    expect(told(run(...served(button(now)), missed), before, before)).toContain(
      `answer_changed: GET /papers came with ${now} in <button>, where the last pass had ${was}`,
    );
  }
  // Another value, or another attribute besides, is no other name.
  const moved = run(...served(table('hx-target="#one" data-a="1"')), missed);
  expect(told(moved, usual, usual).join("\n")).toContain(
    'came with hx-target="#one" in <table> around <button> “One more”, where the last pass had none',
  );
});

const twice = failing({
  title: "Expect \"toHaveText\" getByTestId('sum')",
  message:
    "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('sum')\nError: strict mode violation: getByTestId('sum') resolved to 2 elements:",
  expected: '"7"',
  received: undefined,
});

test("an attribute that names another element by an id that none has comes before what then stands in another place", () => {
  const form = (target: string, within: string, id = "sums") =>
    `<p id="${id}"><b data-testid="sum">7</b></p><form hx-target="${target}"><button>Add</button>${within}</form>`;
  const add = click("Click getByRole('button', { name: 'Add' })", { ts: 4_000 });
  const used = (target: string, within: string, end: ReturnType<typeof failing>, id?: string) =>
    run(...served(form(target, "")), add, page(form(target, within, id)), end);
  const usual = used("#sums", "", passing());
  const another = '<b data-testid="sum">9</b>';
  expect(told(used("#sum", another, twice), usual, usual).slice(0, 2)).toEqual([
    'answer_changed: GET /papers came with hx-target="#sum", an id that no element of the page has, in <form> around <button> “Add”, where the last pass had hx-target="#sums"',
    "element_ambiguous: getByTestId('sum') matched 2 elements where the test means one: <b> “7” (test id “sum”) and <b> “9” (test id “sum”)",
  ]);
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("an id that no element");
  expect(isTold(used("#sum", another, twice, "sum"), usual, usual)).toBe(false);
  expect(isTold(used("closest form", another, twice), usual, usual)).toBe(false);
  // Where the passes' one was answered by nothing that is recorded, this one may be as well.
  const unseen = used("#others", "", passing());
  expect(isTold(used("#sum", another, twice), unseen, unseen)).toBe(false);
});

test("of several elements that a locator found the one is told that stands there in no pass", () => {
  const label = {
    title: "Expect \"toBeVisible\" getByLabel('Password')",
    message:
      "expect(locator).toBeVisible() failed\n\nLocator: getByLabel('Password')\nError: strict mode violation: getByLabel('Password') resolved to 2 elements:",
    expected: undefined,
    received: undefined,
  };
  const field = '<label for="p">Password</label><input id="p" type="password">';
  const seen = (html: string, end: typeof passing) => run(page(html), end(label));
  const usual = seen(field, passing);
  const both = `${field}<button aria-label="Show password">*</button>`;
  expect(told(seen(both, failing), usual, usual).join("\n")).toContain(
    "getByLabel('Password') matched 2 elements where the test means one: a textbox “Password” and a button “Show password”, which stands there in no pass",
  );
  // Which of two that are alike is the other one nothing tells.
  const alike = told(seen(`${field}${field}`, failing), usual, usual).join("\n");
  expect(alike).toContain("matched 2 elements where the test means one");
  expect(alike).not.toContain("in no pass");
  expect(told(seen(both, failing), seen(both, passing), usual).join()).not.toContain("in no pass");
});

test("no attribute is told that passes vary, that only looks, states or tells visitors, or of an element that is not the one", () => {
  const usual = run(...served(stepper("open")), passing());
  const failed = (html: string, more = {}) => run(...served(html, more), missed);
  expect(isTold(failed(stepper("open", 'class="big" disabled data-visit="b"')), usual, usual)).toBe(false);
  const other = run(...served(stepper("closed")), passing());
  expect(isTold(failed(stepper("closed")), usual, other)).toBe(false);
  expect(isTold(failed(`${stepper("open")}<p data-mode="x">Other</p>`), usual, usual)).toBe(false);
  // Of two that are called so, nothing says which one is meant.
  expect(isTold(failed(stepper("closed").repeat(2)), usual, usual)).toBe(false);
  // What one page of one pass has may vary.
  expect(isTold(failed(stepper("closed")), usual)).toBe(false);
});

test("elements of a served page are read with those of its templates, whatever is left open", () => {
  const elements = servedElements(
    "<div a=1><template><p>One <b>two</b></template><br><script>three</script></div><i>",
  );
  expect(elements.map(({ tag, text, around }) => [tag, text, around?.tag])).toEqual([
    ["div", "One", undefined],
    ["template", "One two", "div"],
    ["p", "One two", "template"],
    ["b", "two", "p"],
    ["br", "", "div"],
    ["script", "", "div"],
    ["i", "", undefined],
  ]);
});

test("a request that was never sent is told with the element that names its address, and alone where that names another", () => {
  const form = (when: string, to = "/papers/found") =>
    `<h1>Papers</h1><form x-get="${to}" x-when="${when}"><label for="q">Search</label><input id="q" name="q"></form>`;
  const typed = click("Type getByLabel('Search')", { ts: 4_000, name: "type" });
  const asked = exchange("/papers/found?q=rye", { ts: 4_100, media_type: "text/html", body: "<p>One</p>" });
  const cause = (to?: string) => {
    const usual = run(...served(form("input", to)), typed, ...asked, passing());
    return told(run(...served(form("change", to)), typed, failing()), usual, usual);
  };
  const [first, ...others] = cause();
  expect(first).toStartWith('answer_changed: GET /papers came with x-when="change" in <form');
  expect(first).toContain('where the last pass had x-when="input"; GET /papers/found?q=rye was never sent');
  expect(others.join()).not.toContain("never sent");
  expect(cause("/papers/others").join("\n")).not.toMatch(/x-when="input"; GET/);
});
