import { expect, test } from "bun:test";
import { page, passing, run, save, savedInVain, told } from "../../run.ts";

const bar = (html: string) => page(`<main><h1>Plan</h1>${html}</main>`);
const at = (html: string) => ({ ...bar(html), step_id: "save", ts: 7_000 });
const pressed = (role: string, name: string) => {
  const target = `getByRole('${role}', { name: '${name}' })`;
  return { target, title: `Click ${target}`, params: {}, log: [`waiting for ${target}`] };
};
const cause = (now: string, before: string, [role, name]: [string, string]) => {
  const { target, ...more } = pressed(role, name);
  return told(
    run(savedInVain(more), at(now)),
    run(save({ ...more, ts: 3_010 }), { ...at(before), ts: 3_005 }, passing()),
  )
    .join("\n")
    .replaceAll(target, "it");
};

test("what is called as before and is of another role now is told first, whatever class it has got", () => {
  expect(
    cause('<div class="h2">Notes (<b>2</b>)</div>', "<h2>Notes (<b>2</b>)</h2>", ["heading", "Notes (2)"]),
  ).toStartWith(
    "element_renamed: it was not found: “Notes ( 2 )” stands there as in the last pass, but as <div>, and no longer a heading (<h2>)",
  );
  const box = (role: string) => `<label>Outline <input type="checkbox"${role}></label>`;
  expect(cause(box(' role="switch"'), box(""), ["checkbox", "Outline"])).toStartWith(
    'element_renamed: it was not found: “Outline” stands there as in the last pass, but as a switch (<input role="switch">), and no longer a checkbox (<input>)',
  );
});

test("it is told where another of that name is folded away", () => {
  const nav = (entry: string) =>
    `<nav>${entry}</nav><details><summary>Menu</summary><a href="/bills">Bills</a></details>`;
  expect(
    cause(nav("<button>Bills</button>"), nav('<a href="/bills">Bills</a>'), ["link", "Bills"]),
  ).toStartWith(
    "element_renamed: it was not found: “Bills” stands there as in the last pass, but as a button",
  );
});

test("what stood there besides, or is called so now, has not come in its place", () => {
  const [button, link] = ["<button>Bills</button>", '<a href="/bills">Bills</a>'];
  for (const silent of [
    // The other one is as it was.
    cause(button, link + button, ["link", "Bills"]),
    // Another button has got that name.
    cause("<button>Bills</button>", `<button>Notes</button>${link}`, ["link", "Bills"]),
    // It is called otherwise.
    cause("<button>Notes</button>", link, ["link", "Bills"]),
    // It never was there.
    cause(button, "", ["link", "Bills"]),
  ])
    expect(silent).not.toContain("stands there as in the last pass");
});

test("what is looked for by its role alone goes by the name that the only one of its kind has in the pass", () => {
  const target = "getByRole('heading', { level: 2 })";
  const look = { title: `Click ${target}`, params: {}, log: [`waiting for ${target}`] };
  const lost = (now: string, before: string) =>
    told(
      run(savedInVain(look), at(now)),
      run(save({ ...look, ts: 3_010 }), { ...at(before), ts: 3_005 }, passing()),
    );
  const card = (tag: string, more = "") => `<${tag}${more}><a href="/emma">Emma</a></${tag}>`;
  const [div, heading] = [card("div", ' class="h2"'), card("h2")];
  expect(bare(lost(div, heading))).toContain("“Emma” stands there as in the last pass, but as <div>");
  // Which of two it was is not known.
  expect(bare(lost(div + div, heading + heading))).not.toContain("stands there as in the last pass");
});

const bare = (all: string[]) => all.join("\n");

test("a heading that is looked for by its level alone is told where it is of another one, or none any more", () => {
  const target = "getByRole('heading', { level: 2 })";
  const heading = { title: `Click ${target}`, params: {}, log: [`waiting for ${target}`] };
  const cards = (now: string, before: string) =>
    told(
      run(savedInVain(heading), at(`<p>Two days</p>${now}`)),
      run(save({ ...heading, ts: 3_010 }), { ...at(`<p>Two days</p>${before}`), ts: 3_005 }, passing()),
    ).join("\n");
  const said = `element_renamed: ${target} was not found: “Seed swap” stands there as in the last pass, but as`;
  const before = '<h2><a href="/seeds">Seed swap</a></h2>';
  expect(cards('<div class="h2"><a href="/seeds">Seed swap</a></div>', before)).toStartWith(
    `${said} <div>, and no longer a heading (<h2>)`,
  );
  expect(cards('<h3><a href="/seeds">Seed swap</a></h3>', before)).toStartWith(
    `${said} a heading (<h3>), and no longer a heading (<h2>)`,
  );
  // Of several it is not known which one is meant, and another text is another heading.
  expect(cards("<div>Seed swap</div>", `${before}<h2>Plants</h2>`)).not.toContain("stands there as");
  expect(cards("<div>Plants</div>", before)).not.toContain("stands there as");
});
