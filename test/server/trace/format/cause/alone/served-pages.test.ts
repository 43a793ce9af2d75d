import { expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { document, first, header, json, missed, told } from "./scene.ts";

test("a page where the address names a file is told", () => {
  const page = exchange("/policy.pdf", {
    ts: 4_800,
    resource_type: "document",
    media_type: "text/html",
    body: "<html><body><h1>Your policy is being prepared</h1></body></html>",
  });
  expect(first(run(...page, failing()))).toBe(
    "download: GET /policy.pdf was answered with a page (“Your policy is being prepared”) instead of the file",
  );
});

test("a page that stands before the site's own is told, and a site's own page with such words is not", () => {
  const asks = "<html><body><h1>Just a moment</h1><p>Checking your browser</p></body></html>";
  expect(first(run(...document("/search", asks), missed("locator('#results li')"), page(asks)))).toContain(
    "GET /search was answered with a page that stands before the site's own: “Just a moment Checking your browser”",
  );
  const own = `<html><body><p>Just a moment</p>${"<p>Another line</p>".repeat(20)}</body></html>`;
  expect(
    told(run(...document("/search", own), missed("locator('#results li')"), page(own))).join(),
  ).not.toContain("before the site's own");
});

test("a form that came back is told with what it says now", () => {
  const form = (said = "") =>
    `<html><body><h1>Sign in</h1><form><input name=pin></form>${said}</body></html>`;
  const back = form("<p>That PIN does not belong to this card.</p>");
  const posted = document("/sign-in", back, { ts: 4_500, method: "POST", status: 200 });
  expect(
    first(run(...document("/sign-in", form()), ...posted, missed("getByText('Your loans')"), page(back))),
  ).toBe(
    "page_message: POST /sign-in gave the form back instead of leading on: the page says “That PIN does not belong to this card.”",
  );
});

test("garbled letters are told with the charset that the page is served in", () => {
  const html = "<html><body><a href=1>Ã…lesund</a></body></html>";
  const served = document("/search", html, {
    headers: header("content-type", "text/html; charset=iso-8859-1"),
  });
  expect(first(run(...served, missed("getByRole('link', { name: 'Ålesund' })"), page(html)))).toBe(
    "answer_changed: The page's letters are garbled (“Ã…lesund”): GET /search is served as charset=iso-8859-1, and was written in another encoding",
  );
});

test("a page in the language that the browser asked for is told where the test looks for English words", () => {
  const html = '<html lang="de"><body><label>Wohin? <input></label><p>Anreise</p></body></html>';
  const served = (language: string) =>
    document("/", html, { request: { headers: header("accept-language", language) } });
  const looked = (language: string) =>
    told(run(...served(language), missed("getByLabel('Where to?')"), page(html))).join("\n");
  expect(looked("de-DE")).toStartWith(
    "time: The browser asked for the language “de-DE” and the page came in “de”",
  );
  expect(looked("en-US")).not.toContain("The browser asked for");
});

test("a page in the language that the browser asked for is told where the test has found nothing by a name on it", () => {
  const html = '<html lang="pt"><body><label>Correio <input></label><button>Entrar</button></body></html>';
  const served = document("/", html, { request: { headers: header("accept-language", "pt-PT") } });
  const looked = (...steps: ReturnType<typeof click>[]) =>
    told(run(...served, ...steps, missed("getByLabel('Email')"), page(html)))[0];
  expect(looked()).toBe(
    "time: The browser asked for the language “pt-PT” and the page came in “pt”; the test looks for “getByLabel('Email')”",
  );
  const found = click("Click getByText('Entrar')", {
    ts: 4_000,
    params: { selector: 'internal:text="Entrar"i' },
  });
  expect(looked(found)).not.toContain("language");
});

test("a language that an account has chosen is told with the answer that says so", () => {
  const html = '<html lang="de"><body><a>Korrektur</a></body></html>';
  const cause = (locale: string) =>
    told(
      run(
        ...document("/", html, { request: { headers: header("accept-language", "en-US") } }),
        ...json("/api/me", { user: { locale } }),
        missed("getByRole('link', { name: 'Marking' })"),
        page(html),
      ),
    )[0];
  expect(cause("de-DE")).toBe(
    "time: The browser asked for the language “en-US” and the page came in “de”, which GET /api/me answered for “user.locale”; the test looks for “Marking”",
  );
  expect(cause("en")).not.toContain("language");
});

test("a heading that tells of trouble is told, unless it stood there before", () => {
  const lost = "<h1>Page not found</h1>";
  const go = click("Click People", { ts: 4_000, step_id: "go" });
  const cause = (before: string) =>
    told(
      run(
        page(before, { ts: 4_000, step_id: "go", phase: "action" }),
        go,
        missed("getByTestId('person')"),
        page(lost),
      ),
    );
  expect(cause("<h1>Home</h1>")[0]).toBe("page_message: The page said “Page not found”");
  expect(cause(`${lost}<p>Try again</p>`).join()).not.toContain("The page said");
});
