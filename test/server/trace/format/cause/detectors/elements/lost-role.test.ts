import { expect, test } from "bun:test";
import { viewOfHtml } from "../../../../../../../server/trace/format/cause/page/page-view.ts";
import { lostScope } from "../../../../../../../server/trace/format/cause/page/wanted.ts";
import { exchange, failing, page, passing, run, save, savedInVain, told } from "../../run.ts";

const bar = (save: string, title = "Plan") => page(`<main><h1>${title}</h1><p>Draft</p>${save}</main>`);
const at = (html: string, title?: string) => ({ ...bar(html, title), step_id: "save", ts: 7_000 });
/** Against a pass in whose place another element stood. */
const cause = (now: string, before: string, title?: string) =>
  told(run(inVain, at(now, title)), run(save({ ts: 3_010 }), { ...at(before), ts: 3_005 }, passing())).join(
    "\n",
  );
const LOST = "element_renamed: getByRole('button', { name: 'Save' })";
const inVain = savedInVain({ log: ["waiting for getByRole('button', { name: 'Save' })"] });

test("an element that stands there without the role and the name that attributes gave it is told with these", () => {
  expect(
    cause(
      `<div class="act" tabindex="0"><b>7</b> seats</div>`,
      `<div class="act" tabindex="0" role="button" aria-label="Save"><b>7</b> seats</div>`,
    ),
  ).toStartWith(
    `${LOST} was not found: the <div> “7 seats” stands there as in the last pass, but has lost role="button" and aria-label="Save"`,
  );
  expect(
    cause(`<button class="icon"></button>`, `<button class="icon" aria-label="Save"></button>`),
  ).toStartWith(
    `${LOST} was not found: the <button> stands there as in the last pass, but has lost aria-label="Save"`,
  );
});

test("an attribute that was emptied is lost as well", () => {
  const before = `<button class="icon" aria-label="Save"></button>`;
  expect(cause(`<button class="icon" aria-label=""></button>`, before)).toStartWith(
    `${LOST} was not found: the <button> stands there as in the last pass, but has lost aria-label="Save"`,
  );
});

test("a field that no label leads to any more is told with the label", () => {
  const field = (name: string, before: string) => {
    const log = ["waiting for getByLabel('PIN')"];
    const fill = (more: object) =>
      save({ title: "Fill getByLabel('PIN')", params: { selector: 'internal:label="PIN"i' }, ...more });
    const error = { message: "TimeoutError: locator.fill: Timeout 4000ms exceeded." };
    return told(
      run(fill({ duration_ms: 4_100, error, log }), at(name)),
      run(fill({}), { ...at(before), ts: 3_005 }, passing()),
    ).join("\n");
  };
  const before = `<label>Name <input name="name"></label><label>PIN <input name="pin"></label>`;
  expect(
    field(`<label>Name <input name="name"></label><input name="pin" placeholder="Four digits">`, before),
  ).toStartWith(
    "element_renamed: getByLabel('PIN') was not found: the <input> (name “pin”) stands there as in the last pass, but has lost its label “PIN”",
  );
  // It is called otherwise.
  expect(
    field(`<label>Name <input name="name"></label><label>Code <input name="pin"></label>`, before),
  ).not.toContain("has lost");
});

test("a name that begins so is found in passes by its pattern, and no other that only has it in it", () => {
  const target = "getByRole('button', { name: /^7 May, €142\\.00/ })";
  const press = (more: object) =>
    save({ title: `Click ${target}`, params: { selector: `internal:role=button` }, ...more });
  const error = { message: "TimeoutError: locator.click: Timeout 4000ms exceeded." };
  const days = (label: (day: number) => string) =>
    [7, 17, 27]
      .map((day) => `<button type="button"${label(day)}>${day}<small>€142.00</small></button>`)
      .join("");
  const told7 = told(
    run(press({ duration_ms: 4_100, error, log: [`waiting for ${target}`] }), at(days(() => ""))),
    run(press({}), { ...at(days((day) => ` aria-label="${day} May, €142.00"`)), ts: 3_005 }, passing()),
  );
  expect(told7[0]).toBe(
    `element_renamed: ${target} was not found: the <button> “7 €142.00” stands there as in the last pass, but has lost aria-label="7 May, €142.00"`,
  );
});

test("a button that is none any more is told by its tag", () => {
  expect(cause(`<span class="act">Save</span>`, `<button class="act">Save</button>`)).toStartWith(
    `${LOST} was not found: “Save” stands there as in the last pass, but as <span>, and no longer a button (<button>)`,
  );
});

test("an element that says something else, or is called otherwise, has lost no attribute; nor has a heading been a button", () => {
  for (const silent of [
    cause(`<button aria-label="Saved"></button>`, `<button aria-label="Save"></button>`),
    cause(`<div class="act">Saved</div>`, `<div class="act" role="button" aria-label="Save">Draft 7</div>`),
    cause("", `<button>Save</button>`, "Save"),
    // Of several that look alike one came less.
    cause(`<i class="icon"></i>`, `<i class="icon" role="button" aria-label="Save"></i><i class="icon"></i>`),
  ])
    expect(silent).not.toContain("stands there as in the last pass");
});

test("a lost role is not told to come of an answer that says another date", () => {
  const plan = (day: string) => exchange("/api/plan", { ts: 3_000, body: JSON.stringify({ next: day }) });
  const before = () => [
    ...plan("Monday"),
    save(),
    { ...at(`<div class="act" role="button">Save</div>`), ts: 3_005 },
    passing(),
  ];
  const [first] = told(
    run(...plan("Tuesday"), inVain, at(`<div class="act">Save</div>`)),
    run(...before()),
    run(...before()),
  );
  expect(first).toContain(`has lost role="button"`);
  expect(first).not.toContain("Tuesday");
});

test("a part of the page in which nothing is found is told where it lost its role, by an attribute or by its tag", () => {
  const title = "Click getByRole('dialog', { name: 'Cancel it?' }).getByRole('button', { name: 'Save' })";
  const within = { title, params: {}, log: [`waiting for ${title.replace("Click ", "")}`] };
  const lost = (now: string, before: string) =>
    told(
      run(savedInVain(within), at(now)),
      run(save({ ...within, ts: 3_010 }), { ...at(before), ts: 3_005 }, passing()),
    )[0];
  const box = (attributes: string) =>
    `<div class="box" ${attributes}><p>Sure?</p><button>Save</button></div>`;
  expect(lost(box(""), box('role="dialog" aria-label="Cancel it?"'))).toBe(
    "element_renamed: getByRole('dialog', { name: 'Cancel it?' }) was not found: the <div> “Sure? Save” stands there as in the last pass, but has lost role=\"dialog\" and aria-label=\"Cancel it?\"",
  );
  // Where that part is found, or is gone altogether, something else is wrong.
  const dialog = box('role="dialog" aria-label="Cancel it?"');
  for (const now of [dialog.replace("<button>Save</button>", ""), "<p>Nothing</p>"])
    expect(lost(now, dialog)).not.toContain("was not found: the <div>");
});

test("a section that has a name is a region, and counted by it", () => {
  const check = {
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByRole('region', { name: 'Review' }).getByRole('article')",
    message: "expect(locator).toHaveCount(expected) failed",
    expected: "1",
    received: "0",
  };
  const column = (tag: string) =>
    page(`<${tag} class="column" aria-label="Review"><article>Plan</article></${tag}>`);
  expect(told(run(failing(check), column("div")), run(passing(check), column("section")))[0]).toBe(
    "element_renamed: getByRole('region', { name: 'Review' }) was not found: “Plan” stands there as in the last pass, but as <div>, and no longer a region (<section>)",
  );
});

test("an element that has nothing any more by which it could be called is told with its place", () => {
  const NAMELESS = "the button in its place has no name";
  const icon = (more = "") => `<button class="act"><svg${more}></svg></button>`;
  const row = (button: string) => `<p>One</p>${button}<button>Close</button>`;
  const before = row(`<button class="act">Save</button>`);
  expect(cause(row(icon()), before)).toStartWith(
    `${LOST} was not found: ${NAMELESS}, neither a text nor an attribute such as aria-label, where the last pass has “Save”: it holds a picture alone (<svg>)`,
  );
  expect(cause(row(`<button class="act"></button>`), before)).toContain(NAMELESS);
  // A picture has a name of its own, the button is gone, or others without a name stood there as well.
  expect(cause(row(icon(' aria-label="Keep"')), before)).not.toContain(NAMELESS);
  expect(cause(row(""), before)).not.toContain(NAMELESS);
  expect(cause(row(icon() + icon()), row(`${icon()}<button class="act">Save</button>`))).not.toContain(
    NAMELESS,
  );
});

test("a part of the page whose text has the name in it has none by that", () => {
  const target = "getByRole('article', { name: 'Lesson' }).getByRole('heading')";
  const heading = { title: `Click ${target}`, params: {}, log: [`waiting for ${target}`] };
  const lesson = (name: string) =>
    `<article${name}><h2>Ideas</h2><p>Text of the lesson “Ideas”.</p></article>`;
  const named = lesson(' aria-label="Lesson"');
  const against = (now: string) =>
    told(
      run(savedInVain(heading), at(now)),
      run(save({ ...heading, ts: 3_010 }), { ...at(named), ts: 3_005 }, passing()),
    ).join("\n");
  expect(against(lesson(""))).toStartWith(
    "element_renamed: getByRole('article', { name: 'Lesson' }) was not found: the <article> “Ideas Text of the lesson \"Ideas\".” stands there as in the last pass, but has lost aria-label=\"Lesson\"",
  );
  expect(against(named)).not.toContain("has lost");
});

test("a part of the page that is picked by a text in it needs no name", () => {
  const page = viewOfHtml("<ul><li>Dr. Osei <button>Cancel</button></li></ul>");
  const within = (scope: string) => lostScope(`${scope}.getByRole('button')`, page);
  expect(within("getByRole('listitem').filter({ hasText: 'Osei' })")).toBeNull();
  expect(within("getByRole('listitem', { name: 'Osei' })")).not.toBeNull();
});
