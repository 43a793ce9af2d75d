import { expect, test } from "bun:test";
import fc from "fast-check";
import { findCause } from "../../../../../server/trace/format/cause/find-cause.ts";
import { viewOfHtml, viewOfTree } from "../../../../../server/trace/format/cause/page/page-view.ts";
import { hidingRule } from "../../../../../server/trace/format/cause/style/hiding-rule.ts";
import { isPrinted, mediaHold } from "../../../../../server/trace/format/cause/style/media.ts";
import { rulesOf } from "../../../../../server/trace/format/cause/style/rules.ts";
import {
  readSheets,
  sheetsOfHtml,
  sheetsOfTree,
} from "../../../../../server/trace/format/cause/style/sheets.ts";
import { numberNodes } from "../../../../../server/trace/format/playwright/snapshot-tree.ts";
import { click, evidenceIn, exchange, factsOf, page, run, SITE } from "./run.ts";

const WINDOW = { width: 1280, height: 720 };
const LINK = '<link rel="stylesheet" href="/assets/app.css">';
const TARGET = "locator('#filters')";
const UNSEEN = [`waiting for ${TARGET}`, "  element is not visible", "  element is not visible"];

const sheet = (body: string, url = "/assets/app.css") =>
  exchange(url, { ts: 1_000, resource_type: "stylesheet", media_type: "text/css", body });

const pressing = (log: string[] = UNSEEN) =>
  click(`Click ${TARGET}`, {
    ...{ ts: 5_000, step_id: "check", ok: false, duration_ms: 2_000, log },
    error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
  });

/** The first suspect of a run whose page has these parts, in a window of 1280 pixels. */
async function first(
  events: ReturnType<typeof run>,
  { window = WINDOW as typeof WINDOW | null, passes = [] as ReturnType<typeof run>[] } = {},
) {
  const evidence = evidenceIn([], events, ...passes);
  const { page: seen, facts } = evidence.run;
  evidence.run.sheets = await readSheets(
    sheetsOfHtml(seen!.shot.html!),
    seen!.shot,
    facts,
    async (one) => one.body,
  );
  evidence.run.window = window;
  return findCause(evidence).suspects[0]!;
}

const title = async (css: string, body: string, more: Parameters<typeof first>[1] = {}) =>
  (await first(run(...sheet(css), pressing(), page(`<head>${LINK}</head><body>${body}</body>`)), more)).title;

const FILTERS = '<section class="filters" id="filters">Filters</section>';
const HIDDEN = `${TARGET} was in the page but not visible`;

test("a hidden element is told with the rule that hides it, and the rule's answer is shown", async () => {
  const answer = sheet(".filters { display: none }");
  const found = await first(run(...answer, pressing(), page(`${LINK}${FILTERS}`)));
  expect(found).toMatchObject({
    kind: "element_hidden",
    title: `${HIDDEN}: “.filters { display: none }” of /assets/app.css hides it`,
    events: [3, 2],
  });
});

test("a rule of some windows alone is told with them, where it holds in this one", async () => {
  const at = (query: string) => `@media ${query} { .filters { display: none } }`;
  expect(await title(at("(max-width: 1366px)"), FILTERS)).toBe(
    `${HIDDEN}: “.filters { display: none }” of /assets/app.css hides it, within “@media (max-width: 1366px)” at a window of 1280 pixels`,
  );
  for (const query of ["(max-width: 1024px)", "(width < 80rem)", "print", "(prefers-color-scheme: dark)"])
    expect(await title(at(query), FILTERS)).toBe(HIDDEN);
  expect(await title(at("(max-width: 1366px)"), FILTERS, { window: null })).toBe(HIDDEN);
});

test("an element around it is told by its name", async () => {
  const inside = '<aside class="sidebar wide"><p><button id="filters">Filters</button></p></aside>';
  expect(await title(".sidebar.wide { visibility: hidden }", inside)).toBe(
    `${HIDDEN}: “.sidebar.wide { visibility: hidden }” of /assets/app.css hides .sidebar around it`,
  );
  // What is visible again within something hidden is not hidden by it.
  expect(await title(".sidebar { visibility: hidden } p { visibility: visible }", inside)).toBe(HIDDEN);
});

test("a class that was set while the page ran is told by the rule that goes by it", async () => {
  const rules = ".panel { display: grid } .panel.is-collapsed > .body { display: none }";
  const panel = '<div class="panel is-collapsed"><div class="body"><b id="filters">F</b></div></div>';
  expect(await title(rules, panel)).toContain("“.panel.is-collapsed > .body { display: none }”");
  expect(await title(rules, panel.replace(" is-collapsed", ""))).toBe(HIDDEN);
});

test("a rule that another one overrides is never told", async () => {
  const base = ".filters { display: none }";
  for (const stronger of [
    "#filters { display: block }",
    "section.filters { display: block }",
    ".filters { display: block }",
    "section { display: block !important }",
    "@media (min-width: 600px) { .filters { display: block } }",
    "body .filters:not(.shut) { display: flex }",
    ":where(.x) {} :is(#filters, .y) { display: block }",
    "section { &.filters { display: block } }",
    "@supports (display: grid) { .filters { display: grid } }",
    "@container (width > 400px) { .filters { display: grid } }",
    ".filters:has(p) { display: block }",
    "section[data-menu] { display: block }",
  ])
    expect([stronger, await title(`${base} ${stronger}`, FILTERS)]).toEqual([stronger, HIDDEN]);
  for (const style of ["display:block", "color:red; DISPLAY : flex"])
    expect(await title(base, FILTERS.replace("<section", `<section style="${style}"`))).toBe(HIDDEN);
});

test("a rule that others only seem to override is told", async () => {
  const base = ".filters { display: none !important }";
  for (const weaker of [
    "#filters { display: block }",
    ".filters { display: block }",
    "@layer late { .filters { display: block } }",
    ".filters:hover { display: block !important }",
    ".filters::before { display: block !important }",
    "@media (max-width: 600px) { .filters { display: block !important } }",
    "@keyframes in { from { display: block } }",
  ])
    expect(await title(`${base} ${weaker}`, FILTERS)).toBe(
      `${HIDDEN}: “.filters { display: none !important }” of /assets/app.css hides it`,
    );
  const styled = FILTERS.replace("<section", '<section style="display:block"');
  expect(await title(base, styled)).toContain("!important");
  expect(
    await title(
      "@layer a, b; @layer b { .filters { display: none } } @layer a { #filters { display: block } }",
      FILTERS,
    ),
  ).toContain("“.filters { display: none }”");
});

test("selectors and sheets that cannot be read are passed over", async () => {
  const base = ".filters { display: none }";
  for (const odd of [
    "a:nth-child(2n of x) y|z {}",
    ".filters >>> b { display: block }",
    ".. { display: block }",
    "[ { display: block }",
  ])
    expect(await title(`${odd} ${base}`, FILTERS)).toContain(HIDDEN);
  expect(
    await title(".md\\:hidden { display: none }", FILTERS.replace('"filters"', '"md:hidden"')),
  ).toContain("“.md\\:hidden { display: none }”");
  const torn = sheet("} } .filters { display: none", "/torn.css");
  const links = `<link rel="stylesheet" href="/torn.css">${LINK}`;
  expect((await first(run(...torn, ...sheet(base), pressing(), page(`${links}${FILTERS}`)))).title).toContain(
    "/assets/app.css",
  );
});

test("styles in the page, links for other media and imports", async () => {
  const inline = page(`<style>.filters{display:none}</style>${FILTERS}`);
  expect((await first(run(pressing(), inline))).title).toBe(
    `${HIDDEN}: “.filters { display: none }” of the page’s own style hides it`,
  );
  const forPrint = page(`${LINK.replace(">", ' media="print">')}${FILTERS}`);
  expect((await first(run(...sheet(".filters{display:none}"), pressing(), forPrint))).title).toBe(HIDDEN);
  const imported = sheet('@import "theme.css" (min-width: 900px); p { color: red }');
  const theme = sheet(".filters { display: none }", "/assets/theme.css");
  const found = await first(run(...imported, ...theme, pressing(), page(`${LINK}${FILTERS}`)));
  expect(found.title).toContain("of /assets/theme.css hides it, within “@media (min-width: 900px)”");
});

test("an element through which a click goes is told with the rule that takes its pointer", async () => {
  const log = [`waiting for ${TARGET}`, '  <html lang="en">…</html> intercepts pointer events'];
  const shut = page(`${LINK}<div class="busy"><button id="filters">F</button></div>`);
  const clicked = run(...sheet(".busy { pointer-events: none }"), pressing(log), shut);
  expect(await first(clicked)).toMatchObject({
    kind: "element_covered",
    title: `A click on ${TARGET} went through it to what is behind: “.busy { pointer-events: none }” of /assets/app.css keeps the pointer from .busy around it`,
  });
  const open = run(
    ...sheet(".busy { pointer-events: none } button { pointer-events: auto }"),
    pressing(log),
    shut,
  );
  expect((await first(open)).title).toContain("takes no pointer");
});

test("what is looked for by its role and hidden is told with the rule as well", async () => {
  const target = "getByRole('button', { name: 'Ok' })";
  const press = click(`Click ${target}`, {
    ...{ ts: 5_000, step_id: "check", ok: false, duration_ms: 2_000, log: [`waiting for ${target}`] },
    error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
  });
  const footer = page(`${LINK}<footer class="bar"><button>Ok</button></footer>`);
  expect((await first(run(...sheet(".bar { display: none }"), press, footer))).title).toBe(
    `${target} is in the page's markup (a button “Ok”), but the step could not see it: “.bar { display: none }” of /assets/app.css hides .bar around it`,
  );
});

test("a step that only waits for an element to be seen is told what hides it", async () => {
  const log = [
    `waiting for ${TARGET} to be visible`,
    '  locator resolved to hidden <section id="filters" class="filters">Filters</section>',
  ];
  const wait = (lines: string[]) =>
    run(...sheet(".filters { display: none }"), pressing(lines), page(`${LINK}${FILTERS}`));
  expect((await first(wait(log))).title).toBe(
    `${HIDDEN}: “.filters { display: none }” of /assets/app.css hides it`,
  );
  const gone = log.map((line) => line.replace(" to be visible", " to be detached"));
  expect((await first(wait(gone))).kind).not.toBe("element_hidden");
});

test("an element without a place on the page is told where nothing stretches it", async () => {
  for (const size of ["max-height: 0", "height: 0px", "width: 0"])
    expect(await title(`.filters { ${size}; overflow: hidden }`, FILTERS)).toContain(
      `“.filters { ${size} }”`,
    );
  for (const more of [
    "",
    "overflow: hidden; flex: 1",
    "overflow: hidden; min-height: 2rem",
    "overflow: auto",
  ])
    expect(await title(`.filters { height: 0; ${more} }`, FILTERS)).toBe(HIDDEN);
});

test("of elements that rules hide otherwise none is told", async () => {
  const two = '<i class="filters a">1</i><i class="filters b">2</i>';
  const log = ["waiting for locator('.filters')", "  element is not visible"];
  const press = { ...pressing(log), title: "Click locator('.filters')" };
  const hidden = (css: string) => first(run(...sheet(css), press, page(`${LINK}${two}`)));
  expect((await hidden(".a { display: none } .b { display: none }")).title).not.toContain("“");
  expect((await hidden("i { display: none }")).title).toContain("“i { display: none }”");
});

test("where a pass had another style sheet, the change is told and not the rule", async () => {
  const shown = run(
    ...sheet(".filters { display: grid }"),
    click(`Click ${TARGET}`, { ts: 5_000, step_id: "check" }),
    page(`${LINK}${FILTERS}`),
  );
  const failed = run(...sheet(".filters { display: none }"), pressing(), page(`${LINK}${FILTERS}`));
  const told = (await first(failed, { passes: [shown] })).title;
  expect(told).toContain("; the style sheet GET /assets/app.css changed since the last pass");
  expect(told).not.toContain("hides it");
  const same = run(
    ...sheet(".filters { display: none }"),
    click(`Click ${TARGET}`, { ts: 5_000, step_id: "check" }),
    page(`${LINK}${FILTERS}`),
  );
  expect((await first(failed, { passes: [same] })).title).toContain("hides it");
});

test("a page of an archive has its links, styles and adopted sheets in order, and none of a shadow root", () => {
  const shadow = ["TEMPLATE", { __playwright_shadow_root_: "true" }, ["STYLE", {}, "b{}"], ["P", {}, "x"]];
  const root = [
    "HTML",
    {},
    [
      "HEAD",
      {},
      ["STYLE", {}, "a{}"],
      ["LINK", { rel: "stylesheet", href: "/a.css", media: "print" }],
      ["LINK", { rel: "icon", href: "/i" }],
    ],
    ["BODY", {}, ["DIV", {}, shadow], ["template", { __playwright_style_sheet_: "c{}" }]],
  ];
  const trees = new Map([[0, numberNodes(root)]]);
  expect(sheetsOfTree(trees, 0)).toEqual([
    { href: null, text: "a{}", media: "" },
    { href: "/a.css", text: "", media: "print" },
    { href: null, text: "c{}", media: "" },
  ]);
  const elements = viewOfTree(trees, 0);
  const inside = elements.find(({ tag }) => tag === "p")!;
  expect(hidingRule(elements, inside, rulesIn("p { display: none }"), "unseen")).toBeNull();
  expect(hidingRule(elements, inside, rulesIn("div { display: none }"), "unseen")?.on.tag).toBe("div");
});

const rulesIn = (text: string) => rulesOf([{ text, url: null, seq: null, media: [] }], WINDOW);

test("media queries that tell nothing of what was recorded are left open", () => {
  const held = (query: string) => mediaHold(query, WINDOW);
  for (const query of [
    "",
    "all",
    "screen and (min-width: 60em)",
    "(400px < width <= 1280px)",
    "print, screen",
    "(width >= 1280px)",
    "not print",
  ])
    expect([query, held(query)]).toEqual([query, 2]);
  for (const query of [
    "print",
    "(min-width: 1281px)",
    "(width < 1280px)",
    "(hover) and (max-height: 300px)",
    "not all",
  ])
    expect([query, held(query)]).toEqual([query, 0]);
  for (const query of [
    "(hover)",
    "(min-width: calc(1px * 2))",
    "(min-width: 30vw)",
    "(orientation: landscape)",
    "not (hover)",
  ])
    expect([query, held(query)]).toEqual([query, 1]);
});

const PIECES = [
  ".a",
  "#b",
  "p",
  ":not(",
  ":is(",
  "(",
  ")",
  "{",
  "}",
  "[",
  "]",
  "display:none",
  ";",
  "@media",
  "@layer x",
  "&",
  ">",
  "+",
  ",",
  '"',
  "'",
  "\\",
  "/*",
  "*/",
  "url(",
  " ",
  "(max-width:9px)",
  "@import 'x';",
];

test("any text is a style sheet that is read or passed over", () => {
  const elements = viewOfHtml('<div class="a"><p id="b" class="c">x</p></div>');
  const texts = fc.oneof(
    fc.string({ maxLength: 300, unit: "binary" }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const found = hidingRule(elements, elements.at(-1)!, rulesIn(text), "unseen");
      expect(found === null || text.toLowerCase().includes("display")).toBe(true);
      mediaHold(text, WINDOW);
      sheetsOfHtml(text);
    }),
    { numRuns: 1_500 },
  );
});

test("sheets made to be slow to read come to an end", () => {
  const elements = viewOfHtml(`${'<div class="a">'.repeat(200)}<p id="b">x</p>`);
  const some = (piece: string) => piece.repeat(Math.floor((512 * 1024) / piece.length));
  for (const text of [
    some("a{"),
    some("@media all{"),
    `${some(":not(").slice(0, 900)}{display:none}`,
    some("("),
    some("["),
    some('"'),
    some("\\"),
    some(".a .a .a .a .a .a .a .a .b{display:none}"),
    `${some(".a,")}.b{display:none}`,
    some("&{&{"),
    some(".a,.b,.c{&,& &{"),
    some("@layer a.b{"),
    some("url("),
    some("/*"),
  ])
    hidingRule(elements, elements.at(-1)!, rulesIn(text), "unseen");
  expect(rulesIn(some("a{"))).toEqual([]);
});

test("a page names a bounded number of style sheets, which are read up to a bounded size", async () => {
  const links = Array.from({ length: 60 }, (_, at) => `<link rel="stylesheet" href="/${at}.css">`).join("");
  const evidence = evidenceIn(
    [],
    run(
      ...Array.from({ length: 60 }, (_, at) => sheet(`@import "/${at}.css";`, `/${at}.css`)).flat(),
      pressing(),
      page(links),
    ),
  );
  let asked = 0;
  const read = async () => {
    asked++;
    return '@import "/1.css"; @import "/2.css";';
  };
  const sheets = await readSheets(sheetsOfHtml(links), evidence.run.page!.shot, evidence.run.facts, read);
  expect(asked).toBe(20);
  expect(sheets.length).toBe(20);
  expect(sheets[0]!.url).toStartWith(SITE);
});

test("what hides an element on paper hides it where the test asked for a page as it is printed", async () => {
  const css = ".filters { display: block } @media print { .filters { display: none } }";
  const shown = run(...sheet(css), pressing(), page(`<head>${LINK}</head><body>${FILTERS}</body>`));
  expect((await first(shown)).title).not.toContain("hides it");
  expect((await first(shown, { window: { ...WINDOW, isPrinted: true } as typeof WINDOW })).title).toBe(
    `${HIDDEN}: “.filters { display: none }” of /assets/app.css hides it, within “@media print”`,
  );
});

test("a page is printed from the last call that asked for it", () => {
  const media = (value: string, ts: number) =>
    click("Emulate media", { ts, name: "page.emulateMedia", params: { media: value } });
  const at = (...events: Parameters<typeof run>) => isPrinted(factsOf(run(...events)), { ts: 1_004_000 });
  expect(at(media("print", 3_000))).toBe(true);
  expect(at(media("print", 3_000), media("screen", 3_500))).toBe(false);
  expect(at(media("print", 5_000))).toBe(false);
});

test("what is looked for within something that a style sheet hides is told with the rule", async () => {
  const target = "getByRole('region', { name: 'Bulk actions' }).getByLabel('Assign to')";
  const picking = (more = {}) =>
    click(`Select option ${target}`, {
      ...{ ts: 5_000, step_id: "check", duration_ms: 2_000, log: [`waiting for ${target}`], ...more },
    });
  const inVain = picking({
    ok: false,
    error: { message: "TimeoutError: locator.selectOption: Timeout 2000ms exceeded." },
  });
  const bar = (inside: string) =>
    page(
      `${LINK}<div class="bar" role="region" aria-label="Bulk actions"><label>Assign to <select></select></label></div>${inside}`,
    );
  const [open, shut] = ["color: red", "display: none"].map((style) => sheet(`.bar { ${style} }`));
  const said = `${target} was not found, since a region “Bulk actions”, in which it is looked for, is in the page's markup but not to be seen`;
  expect(await first(run(...shut!, inVain, bar("")))).toMatchObject({
    kind: "element_hidden",
    title: `${said}: “.bar { display: none }” of /assets/app.css hides it`,
  });
  expect(
    (await first(run(...shut!, inVain, bar("")), { passes: [run(...open!, picking(), bar(""))] })).title,
  ).toBe(
    `${said}: it is hidden; the style sheet GET /assets/app.css changed since the last pass: “.bar” has “display: none” where that has “color: red”`,
  );
  // What has nothing like it in it, or is hidden by no style sheet, is not told so.
  const empty = page(`${LINK}<div class="bar" role="region" aria-label="Bulk actions"></div>`);
  expect((await first(run(...shut!, inVain, empty))).title).not.toContain("in which it is looked for");
  expect((await first(run(...open!, inVain, bar("")))).title).not.toContain("in which it is looked for");
});

test("an element that a new rule sets in motion comes before an answer that the browser had a copy of", async () => {
  const styled = (css: string, answer: object) => [
    ...sheet(css),
    ...exchange("/routes.json", { ts: 4_000, body: '{"routes":[]}', from_network: true, ...answer }),
  ];
  const log = [`waiting for ${TARGET}`, "element is not stable", "element is not stable"];
  const body = page(`<head>${LINK}</head><body>${FILTERS}</body>`);
  const still = ".filters { color: red }";
  const pressed = click(`Click ${TARGET}`, { ts: 5_000, step_id: "check" });
  const usual = run(...styled(still, {}), pressed, body);
  const moved = `${still}\n.filters { animation: pulse .5s infinite }`;
  const now = run(...styled(moved, { from_network: false }), pressing(log), body);
  const { kind, confidence } = await first(now, { passes: [usual, usual] });
  expect([kind, confidence > 0.93]).toEqual(["element_unstable", true]);
});
