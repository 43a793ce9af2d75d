import { describe, expect, test } from "bun:test";
import { click, failing, page, run } from "../run.ts";
import { document, fill, first, json, missed, post, textOf, told } from "./scene.ts";

const invite = "getByRole('button', { name: 'Invite member' })";
const tom = { user: { name: "Tom Reed", email: "tom@site.test", role: "agent" } };
const header = "<header><span>Tom Reed</span><button>Sign out</button></header><h1>Members</h1>";
const offered = failing({
  title: `Expect "toHaveCount" ${invite}`,
  name: "toHaveCount",
  message: `expect(locator).toHaveCount(expected) failed\n\nLocator: ${invite}`,
  expected: "0",
  received: "1",
});
const cause = (html: string, ...events: Parameters<typeof run>) =>
  first(run(...events, missed(invite), page(html)));

describe("who is signed in", () => {
  test("is told with what the page does not offer to them", () => {
    expect(cause(header, ...post("/api/login", 200, tom))).toStartWith(
      `element_missing: ${invite} was nowhere on the page, where “Tom Reed” is signed in with the role “agent”; its button is “Sign out”`,
    );
    expect(
      cause(header, ...json("/graphql", { data: { me: { name: "Tom Reed", role: "AGENT" } } })),
    ).toContain("“Tom Reed” is signed in with the role “AGENT”");
    expect(cause("<span>Tom Reed ( Manager )</span><button>Sign out</button>")).toContain(
      "“Tom Reed” is signed in with the role “Manager”",
    );
    expect(cause("<p role=status>Signed in as Tom Reed.</p>")).toContain("where “Tom Reed” is signed in;");
  });

  test("is known by what the sign-in was sent, or by its token", () => {
    const sent = { request: { body: JSON.stringify({ email: "tom@site.test", password: "x" }) } };
    expect(cause("<h1>Members</h1>", ...post("/api/session", 200, { role: "curator" }, sent))).toContain(
      "“tom@site.test” is signed in with the role “curator”",
    );
    const token = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify({ name: "Tom Reed", role: "agent" })).toString("base64url")}.s1g`;
    expect(cause("<h1>Members</h1>", ...post("/api/login", 200, { accessToken: token }))).toContain(
      "“Tom Reed” is signed in with the role “agent”",
    );
  });

  test("is nobody whom others are listed as, who was refused, or whom the page does not know", () => {
    for (const silent of [
      cause("<h1>Members</h1>", ...json("/api/members", { items: [{ name: "Tom Reed", role: "agent" }] })),
      cause("<h1>Members</h1>", ...json("/api/posts/1", { author: { name: "Tom Reed", role: "agent" } })),
      cause("<h1>Members</h1>", ...post("/api/login", 401, tom)),
      cause("<a href=/login>Sign in</a>", ...post("/api/login", 200, tom)),
      cause("<input type=password>", ...post("/api/login", 200, tom)),
    ])
      expect(silent).not.toContain("is signed in");
  });

  test("is not another than the page shows", () => {
    const admin = { user: { name: "Ada Moss", email: "ada@site.test", role: "admin" } };
    expect(cause(header, ...post("/api/login", 200, admin))).toContain("where “Tom Reed” is signed in; its");
  });

  test("says nothing of what a page only shows", () => {
    const lost = "getByRole('heading', { name: 'Invoices' })";
    const shown = failing({
      title: `Expect "toBeVisible" ${lost}`,
      message: `expect(locator).toBeVisible() failed\n\nLocator: ${lost}\nError: element(s) not found`,
      expected: "visible",
      received: undefined,
    });
    expect(first(run(...post("/api/login", 200, tom), shown, page("<h1>Members</h1>")))).not.toContain(
      "is signed in",
    );
  });

  test("is told with what a page offers and should not, and no count of things is", () => {
    const notices = json("/api/notices", { items: [{ id: 1, text: "Maintenance at noon" }] });
    expect(
      first(
        run(
          ...post("/api/login", 200, tom),
          ...notices,
          offered,
          page(`${header}<button>Invite member</button>`),
        ),
      ),
    ).toBe(
      `assertion: ${invite} was there once where the test expects 0; it is shown to “Tom Reed”, who is signed in with the role “agent”`,
    );
  });

  test("is whom the test signed in as, where the page shows them", () => {
    const who = textOf("who", "Ada Moss", "Tom Reed");
    const all = told(run(...post("/api/login", 200, tom), who, page(`<p data-testid=who>Tom Reed</p>`)));
    expect(all[0]).toEndWith("where the test wants “Ada Moss”; the test signed in as that user");
  });
});

test("what is offered to nobody in particular led no one astray", () => {
  const led = (assertion: ReturnType<typeof failing>) =>
    told(
      run(
        ...document("/overview", "", { status: 303, headers: [{ name: "location", value: "/session/new" }] }),
        ...document("/session/new", "<h1>Sign in</h1>", { ts: 3_050 }),
        fill("Email", "tom@site.test", 3_500),
        click("Click Sign in", { ts: 4_000 }),
        ...post("/session", 200, {}),
        assertion,
        page(header, { url: "http://shop.example/reports" }),
      ),
    ).join("\n");
  expect(led(failing())).toContain("without an address to lead back to");
  expect(led(offered)).not.toContain("without an address to lead back to");
});
