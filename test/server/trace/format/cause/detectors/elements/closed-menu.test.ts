import { expect, test } from "bun:test";
import { page, run, save, savedInVain, told } from "../../run.ts";

test("a button that opens a closed menu is told so where it stands in the place of the wanted one", () => {
  const seen = (html: string, end: typeof save) =>
    run(
      page(html, { ts: 3_000 }),
      end({ log: ["waiting for getByRole('button', { name: 'Save' })"] }),
      page(html),
    );
  const said = (more: string) =>
    told(
      seen(`<main><button${more}>More actions</button></main>`, savedInVain),
      seen("<main><button>Save</button></main>", save),
    ).join("\n");
  const words =
    "the page has a button “More actions”, which opens a menu that is closed: “Save” may be in it, and is not on the page until then";
  expect(said(' aria-haspopup="menu" aria-expanded="false"')).toContain(words);
  expect(said("")).not.toContain("a menu");
  expect(said(' aria-haspopup="menu" aria-expanded="true"')).not.toContain("a menu that is closed");
});
