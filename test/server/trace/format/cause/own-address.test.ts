import { expect, test } from "bun:test";
import { around, missed } from "./alone/scene.ts";
import { click, page, run, SITE, told } from "./run.ts";

const TARGET = "getByRole('heading', { name: 'Numbers' })";
const step = "next";
const press = click("Click getByRole('link', { name: 'Next' })", { ts: 4_000, step_id: step });
const html = (href: string, title = "Sets") =>
  `<main><h1>${title}</h1><a href="${href}" __playwright_target__="">Next <b>Numbers</b></a></main>`;
const at = (id: string) => ({ url: `${SITE}/lessons/${id}` });
const here = (href: string) =>
  around(press, html(href), html(href)).map((event) =>
    event.kind === "dom.snapshot" ? { ...event, ...at("les_85d7820e51") } : event,
  );
const usual = (href: string) =>
  run(
    page(html(href), { ts: 4_000, step_id: step, phase: "action", ...at("les_d22b9984b8") }),
    press,
    missed(TARGET, { ok: true, error: undefined }),
    page(html("/lessons/les_77aa0409b3", "Numbers"), at("les_77aa0409b3")),
  );
const failed = (href: string) => run(...here(href), missed(TARGET));

test("a click on a link to the very page that it is on is told with that", () => {
  const title = "“Click getByRole('link', { name: 'Next' })”";
  expect(told(failed("/lessons/les_85d7820e51"), usual("/lessons/les_77aa0409b3"))[0]).toBe(
    `page_changed: ${title} did nothing: the link leads to “/lessons/les_85d7820e51”, the very page that it is on; the page stayed as it was and sent no request, where it changed in the last pass`,
  );
  expect(told(failed("/lessons/les_85d7820e51"))[0]).toBe(
    `page_changed: ${title} seems to have done nothing: the page stayed as it was and sent no request; the link leads to “/lessons/les_85d7820e51”, the very page that it is on`,
  );
});

test("a link to another page, to a place within this one, or to itself in the passes is not", () => {
  const silent = (...args: Parameters<typeof told>) =>
    expect(told(...args).join("\n")).not.toContain("the very page");
  for (const href of ["/lessons/les_99d7820e51", "#top", "/lessons/les_85d7820e51#top"]) {
    silent(failed(href), usual("/lessons/les_77aa0409b3"));
    silent(failed(href));
  }
  silent(failed("/lessons/les_85d7820e51"), usual("/lessons/les_d22b9984b8"));
});
