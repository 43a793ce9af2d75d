import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import GithubSlugger from "github-slugger";
import { marked } from "marked";
import { RUN_REASONS } from "../../../server/docs/errors.ts";
import { readPicture } from "../../../server/docs/sources.ts";
import { WRITTEN } from "../../../server/docs/topics.ts";
import { ERROR_STATUS } from "../../../server/http/errors.ts";
import { DOCS_OF_PAGE, docsOfError, docsOfRun } from "../../../viewer/ui/docs-places.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { docsOf, ROOT } from "../../helpers/docs.ts";

setDefaultTimeout(60_000);

let app: TestApp;
let docs: ReturnType<typeof docsOf>;
let all: Awaited<ReturnType<typeof docs.all>>;
/** Every address within the documentation that leads somewhere. */
const places = new Set(["/docs", "/openapi.json"]);

beforeAll(async () => {
  app = await testApp();
  docs = docsOf(app);
  all = await docs.all();
  for (const { path, headings } of all) {
    places.add(path);
    for (const { id } of headings) places.add(`${path}#${id}`);
  }
});
afterAll(() => app.close());

describe("links of the documentation", () => {
  test("lead from each topic to headings and pictures that exist", async () => {
    const lost: string[] = [];
    for (const { path, links } of all)
      for (const link of links) {
        if (/^https?:/.test(link)) continue;
        const [, picture] = /^\/docs\/pictures\/(.+)$/.exec(link) ?? [];
        const isThere = picture
          ? (await readPicture(picture)) !== null
          : places.has(link.startsWith("#") ? path + link : link);
        if (!isThere) lost.push(`${path}: ${link}`);
      }
    expect(lost).toEqual([]);
  });

  test("are all shown: no file is named that is neither a topic nor a picture", () => {
    for (const { path, markdown, links } of all) {
      let written = 0;
      const tokens = marked.lexer(markdown);
      marked.walkTokens(tokens, ({ type }) => {
        if (type === "link" || type === "image") written += 1;
      });
      expect([path, links.length]).toEqual([path, written]);
    }
  });

  test("lead from every page of the viewer and from every error to their place", () => {
    const named = [
      ...Object.values(DOCS_OF_PAGE),
      ...Object.keys(ERROR_STATUS).map(docsOfError),
      ...Object.keys(RUN_REASONS).map(docsOfRun),
    ];
    expect(named.filter((place) => !places.has(place))).toEqual([]);
  });

  test("lead from every error that the viewer makes itself to its place", () => {
    const files = [...new Bun.Glob("viewer/**/*.{ts,tsx}").scanSync(ROOT)];
    const codes = files.flatMap((file) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(/new ApiError\([^,]+, "(\w+)"/g)].map(
        ([, code]) => code!,
      ),
    );
    expect(codes).toContain("unreachable");
    expect(codes.filter((code) => !places.has(docsOfError(code)))).toEqual([]);
  });

  test("lead from wherever the program names a place to one that exists", () => {
    const lost: string[] = [];
    let seen = 0;
    for (const file of new Bun.Glob("{server,viewer}/**/*.{ts,tsx}").scanSync(ROOT)) {
      const source = readFileSync(join(ROOT, file), "utf8");
      for (const [place] of source.matchAll(/(?<=["'`(<])\/docs\/[a-z/-]+(?:#[\w.-]+)?(?=["'`)>])/g)) {
        seen += 1;
        if (!places.has(place)) lost.push(`${file}: ${place}`);
      }
    }
    expect(lost).toEqual([]);
    expect(seen).toBeGreaterThan(20);
  });

  test("lead from the README and from each written topic to files and headings that exist, as a code host shows them", () => {
    const lost: string[] = [];
    for (const file of ["README.md", ...WRITTEN.map((topic) => topic.file)])
      marked.walkTokens(marked.lexer(readFileSync(join(ROOT, file), "utf8")), (token) => {
        if (token.type !== "link" && token.type !== "image") return;
        const [name = "", heading] = String(token.href).split("#");
        // What is made from the program is nowhere but in a server.
        if (/^https?:/.test(token.href) || name.startsWith("/docs/")) return;
        const target = name === "" ? file : join(dirname(file), name);
        const isThere = existsSync(join(ROOT, target)) && (!heading || slugsOf(target).has(heading));
        if (!isThere) lost.push(`${file}: ${token.href}`);
      });
    expect(lost).toEqual([]);
  });

  test("every topic is reached from the README", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const reached = WRITTEN.filter(({ file }) => readme.includes(`](${file})`));
    expect(reached.map(({ name }) => name)).toEqual(WRITTEN.map(({ name }) => name));
  });
});

function slugsOf(file: string): Set<string> {
  const slugger = new GithubSlugger();
  const headings = marked
    .lexer(readFileSync(join(ROOT, file), "utf8"))
    .filter(({ type }) => type === "heading");
  return new Set(headings.map((heading) => slugger.slug((heading as { text: string }).text)));
}
