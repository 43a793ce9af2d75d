import { expect, test } from "bun:test";
import { click, failing, first, page, passing, run, told } from "../../run.ts";

const wants = (target: string) => ({
  title: `Expect "toBeVisible" ${target}`,
  name: "toBeVisible",
  expected: "visible",
  received: undefined,
  message: `expect(locator).toBeVisible() failed\n\nLocator: ${target}\nExpected: visible\nError: element(s) not found`,
});
const card = "getByRole('article', { name: 'Credit 9921' })";
const app = (attributes: string) =>
  page(`<div id="root" ${attributes}><main><article aria-label="Credit 9921">Frozen</article></main></div>`);
const missed = (target: string, shown: ReturnType<typeof page>) => run(failing(wants(target)), shown);
const met = (target: string, shown: ReturnType<typeof page>) => run(passing(wants(target)), shown);

test("what is looked for by its role and stands in something aria-hidden, with a pass and without", () => {
  const said = `element_hidden: ${card} was not found, though an article “Credit 9921” is on the page: <div id="root"> around it is aria-hidden, so that no role in it counts`;
  expect(first(missed(card, app('aria-hidden="true"')))).toBe(said);
  expect(first(missed(card, app('aria-hidden="true"')), met(card, app("")))).toBe(said);
});

test("only roles do not count in what is aria-hidden, and only where all that would do is in it", () => {
  const unheard = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("aria-hidden");
  const text = "getByText('Frozen')";
  expect(unheard(missed(text, app('aria-hidden="true"')))).toBe(false);
  expect(unheard(missed(card, app('aria-hidden="false"')))).toBe(false);
  const twice = page(
    '<article aria-label="Credit 9921"></article><div aria-hidden="true"><article aria-label="Credit 9921"></article></div>',
  );
  expect(unheard(missed(card, twice))).toBe(false);
  // A copy that a carousel always has does not tell why the other one is missing.
  const copy = app('aria-hidden="true"');
  expect(unheard(missed(card, copy), met(card, copy))).toBe(false);
});

test("a click on what stands in something inert", () => {
  const target = "getByRole('button', { name: 'Pay' })";
  const press = (log: string[], more = {}) => ({
    ...click(`Click ${target}`, { ts: 5_000, step_id: "check", duration_ms: 2_000, log }),
    ...more,
  });
  const failed = (attributes: string, log: string) =>
    run(
      press([`waiting for ${target}`, log], { ok: false, error: { message: "Timeout 2000ms exceeded." } }),
      page(`<main ${attributes}><button>Pay</button></main><div class="layer"></div>`),
    );
  const said = `element_disabled: ${target} took no clicks and no keys: <main> around it is inert`;
  expect(first(failed("inert", "  element is inert"))).toBe(said);
  expect(first(failed("inert", '<html lang="en">…</html> intercepts pointer events'))).toBe(said);
  expect(told(failed("", '<div class="layer"></div> intercepts pointer events')).join()).not.toContain(
    "inert",
  );
  expect(told(failed("inert", "  element is not visible")).join()).not.toContain("inert");
});

test("an element is looked up by the whole of a long locator, and a filter of what is around it is no filter of it", () => {
  const target =
    "getByRole('list', { name: 'Tickets of this evening' }).getByRole('listitem').filter({ hasText: 'Midnight Radio at the lake' }).getByRole('button', { name: 'Cancel transfer' })";
  const failed = run(
    click(`Click ${target}`, {
      ts: 5_000,
      step_id: "check",
      duration_ms: 2_000,
      log: [`waiting for ${target}`, "  element is inert"],
      ok: false,
      error: { message: "Timeout 2000ms exceeded." },
    }),
    page(
      '<main inert><ul aria-label="Tickets of this evening"><li>Midnight Radio at the lake <button>Cancel transfer</button></li></ul></main>',
    ),
  );
  expect(first(failed)).toBe(
    `element_disabled: ${target} took no clicks and no keys: <main> around it is inert`,
  );
});

test("a name that is asked for by its beginning or end is the name that it is", () => {
  const anchored = "getByRole('article', { name: /^Credit/ }).first()";
  expect(first(missed(anchored, app('aria-hidden="true"')), met(anchored, app("")))).toStartWith(
    `element_hidden: ${anchored} was not found, though an article “Credit 9921” is on the page`,
  );
});

test("a field that is disabled by what is around it, with a pass and without", () => {
  const target = "getByLabel('Your reply')";
  const fill = (more: object) =>
    click(`Fill ${target}`, { ts: 5_000, step_id: "check", duration_ms: 2_000, ...more });
  const shown = (form: string) => page(`<form>${form}</form>`);
  const failed = (form: string) =>
    run(
      fill({
        ok: false,
        log: [`waiting for ${target}`, "  element is not enabled"],
        error: { message: "TimeoutError: locator.fill: Timeout 2000ms exceeded." },
      }),
      shown(form),
    );
  const passed = (form: string) => run(fill({}), shown(form));
  const field = (more = "") =>
    `<label for="answer">Your reply</label><textarea id="answer" ${more}></textarea>`;
  const plain = `<fieldset>${field()}</fieldset>`;
  const said = `element_disabled: ${target} was disabled; the <fieldset> around it is disabled`;
  expect(first(failed(`<fieldset disabled>${field()}</fieldset>`))).toBe(said);
  expect(first(failed(`<fieldset disabled>${field()}</fieldset>`), passed(plain))).toBe(
    `${said}, which it is in no pass`,
  );
  expect(first(failed(`<div class="pane" aria-disabled="true">${field()}</div>`), passed(plain))).toBe(
    `element_disabled: ${target} was disabled; the <div class="pane"> around it is disabled, which it is in no pass`,
  );
  const note = '<p role="alert">We are closed.</p>';
  expect(first(failed(`${note}<fieldset disabled>${field()}</fieldset>`))).toBe(
    `${said}; the page said “We are closed.”`,
  );
  // What is disabled of itself, what a legend keeps from it, and what is around it in passes too tell nothing.
  const alone = `element_disabled: ${target} was disabled`;
  expect(first(failed(`<fieldset disabled>${field("disabled")}</fieldset>`))).toBe(alone);
  expect(first(failed(`<fieldset disabled><legend>${field()}</legend></fieldset>`))).toBe(alone);
  const always = `<fieldset disabled>${field()}</fieldset>`;
  expect(first(failed(always), passed(always))).toBe(`${alone}, where the last pass has it enabled`);
});
