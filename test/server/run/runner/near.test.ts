import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { systemClock } from "../../../../server/platform/clock.ts";
import { launchBrowser, type OwnedBrowser } from "../../../../server/run/browsers/launch.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import { createDeadline } from "../../../../server/run/runner/environment.ts";
import { findElement } from "../../../../server/run/runner/find.ts";
import { createValues } from "../../../../server/run/runner/values.ts";

setDefaultTimeout(60_000);

let owned: OwnedBrowser;
let page: Page;
beforeAll(async () => {
  owned = await launchBrowser({ executable: null });
  page = await owned.browser.newPage();
});
afterAll(() => owned.close());

const values = createValues({
  secrets: {},
  synthetic: { email: "a@example.invalid", name: "A", region: "r", shard: "1" },
  clones: {},
});

/** The id of the element that a target of the language means, and why. */
async function find(target: string, html?: string): Promise<{ id: string; why: string }> {
  if (html !== undefined) await page.setContent(html);
  const text = `---\nslug: near\ntitle: Near\n---\n1. click ${target}\n`;
  const [step] = compileScenario({ name: "near.scenario.md", text }, () => null).scenario!.steps;
  const { action } = step!;
  if (action.verb !== "click") throw new Error("A click was expected.");
  const { locator, why } = await findElement(page, action.target, {
    values,
    deadline: createDeadline(systemClock, 5000, new AbortController().signal),
  });
  return { id: (await locator.getAttribute("id")) ?? "", why };
}

/** Cards one below the other whose heading stands at the bottom: right above the button of the next card. */
const CARDS = ["Beans", "Decaf", "Filters"]
  .map(
    (name) => `<article>
      <button id="add-${name}">Add</button> <button id="wish-${name}">Keep</button>
      <div style="height: 150px"></div>
      <h2>${name}</h2>
    </article>`,
  )
  .join("");

describe("near", () => {
  test("means what is in the same card, also when something of the next card is closer", async () => {
    expect(await find('button "Add" near heading "Beans"', CARDS)).toEqual({
      id: "add-Beans",
      why: 'Of 3, it alone is in the smallest part of the page that holds heading "Beans" too.',
    });
    expect(await find('button "Add" near heading "Filters"')).toMatchObject({ id: "add-Filters" });
  });

  test("of several in the same card means the closest", async () => {
    const { id, why } = await find(
      'button near text "Price"',
      `<section><button id="far">A</button><div style="height: 80px"></div><p>Price</p><button id="close">B</button></section>
       <section><button id="other">C</button></section>`,
    );
    expect(id).toBe("close");
    expect(why).toMatch(/^Of 2 in the same part of the page, it is nearest to text "Price": \d+ px away\.$/);
  });

  test("means the closest where nothing holds them together: in a flat list, or across frames", async () => {
    const flat = ["One", "Two", "Three"]
      .map((name) => `<b>${name}</b> <input id="${name}"><br><br>`)
      .join("");
    expect(await find('css "input" near text "Two"', `<div>${flat}</div>`)).toMatchObject({ id: "Two" });
    const framed = `<p>Pay here</p><iframe srcdoc='<button id="pay">Pay</button><br><br><br><button id="no">Pay</button>'></iframe>`;
    expect(await find('button "Pay" near text "Pay here"', framed)).toMatchObject({ id: "pay" });
  });

  test("looks into the parts of a web component", async () => {
    const card = (name: string) =>
      `<div class="card"><template shadowrootmode="open"><button id="${name}">Add</button><div style="height: 90px"></div><slot></slot></template><span>${name}</span></div>`;
    await page.goto(`data:text/html,${encodeURIComponent(`${card("Tea")}${card("Mate")}`)}`);
    expect(await find('button "Add" near text "Tea"')).toMatchObject({ id: "Tea" });
  });
});
