import { expect, test } from "bun:test";
import { exchange, failing, passing, run, told } from "../run.ts";

const texts = (status: number, body: string) => exchange("/i18n/en.json", { ts: 4_980, status, body });
const thrown = (quoted: string) => ({
  kind: "console.error",
  source: "page",
  text: `Uncaught (in promise) SyntaxError: Unexpected token 'o', ${quoted} is not valid JSON`,
  ts: 5_000,
});
const usual = run(...texts(200, "{}"), passing());

test("an error over what a refused request was answered with comes after the refusal", () => {
  const [first] = told(run(...texts(404, "no such file"), thrown('"no such file"'), failing()), usual, usual);
  expect(first).toBe("request_failed: GET /i18n/en.json was answered with 404: no such file");
  const cut = told(
    run(...texts(404, "Not where it was"), thrown('"Not where "...'), failing()),
    usual,
    usual,
  );
  expect(cut[0]).toStartWith("request_failed: GET /i18n/en.json was answered with 404");
});

test("an error over another text stands for itself", () => {
  const [first] = told(run(...texts(404, "no such file"), thrown('"oh, hello"'), failing()), usual, usual);
  expect(first).toStartWith("page_error: The page threw SyntaxError");
});

test("a refusal that the page threw over is not beside what it is for, whatever it is called", () => {
  const page = '<!doctype html><html lang="en"><h1>We cannot find that page</h1>';
  const refused = exchange("/api/promo", { ts: 4_980, method: "POST", status: 404, body: page });
  const [first] = told(run(...refused, thrown('"<!doctype "...'), failing()));
  expect(first).toStartWith("request_failed: POST /api/promo was answered with 404");
});
