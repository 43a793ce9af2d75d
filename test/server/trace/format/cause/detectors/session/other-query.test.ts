import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "../../run.ts";

const at = (path: string, ts: number, more: object = {}) =>
  page(`<h1>List</h1>`, { url: `${SITE}${path}`, ts, page: "p1", ...more });
const press = click("Click next", { ts: 4_000, step_id: "next", page: "p1" });
/** A list from which an action leads on. */
const led = (from: string, to: string, end: typeof passing) =>
  run(
    ...exchange(from, { ts: 500, resource_type: "document", page: "p1" }),
    at(from, 1_000, { step_id: "open" }),
    press,
    { ...end(), page: "p1" } as never,
    at(to, 6_990),
  );
const cause = (from: string, now: string, usual: string) =>
  first(led(from, now, failing), led(from, usual, passing), led(from, usual, passing));

describe("an address that an action led to asks otherwise than in every pass", () => {
  test("where it has lost what it had before", () => {
    expect(cause("/list?kind=new", "/list?sort=price", "/list?kind=new&sort=price")).toBe(
      "redirected: The page was at /list?sort=price instead of /list?kind=new&sort=price: it lost “kind=new” with “Click next”, which it had before",
    );
  });

  test("where a value goes by another name", () => {
    expect(cause("/list", "/list?k=new", "/list?kind=new")).toBe(
      "redirected: The page was at /list?k=new instead of /list?kind=new: “Click next” put “new” into it as the parameter “k”, and no longer as “kind”",
    );
  });

  test("where it is of another place in a list", () => {
    expect(cause("/list", "/list?page=3", "/list?page=2")).toBe(
      "redirected: The page was at /list?page=3 instead of /list?page=2: “Click next” led to “page=3”, where it leads to “page=2” in the last pass",
    );
  });

  test("and is told before a number by which passes differ", () => {
    const failed = led("/list", "/list?page=3", failing);
    const passes = [led("/list", "/list?page=2", passing), led("/list", "/list?page=4", passing)] as const;
    expect(told(failed, ...passes).join()).not.toContain("led to");
  });

  test("and not where no action led there, the path is another, or the value is an id or a text", () => {
    for (const [from, now, usual] of [
      ["/list?page=3", "/list?page=3", "/list?page=2"],
      ["/list", "/other?page=3", "/list?page=2"],
      ["/list", "/list?of=83721", "/list?of=83722"],
      ["/list", "/list?q=ann", "/list?q=bob"],
    ] as const)
      expect(cause(from, now, usual)).not.toContain("“Click next”");
  });
});
