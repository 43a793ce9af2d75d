import { expect, test } from "bun:test";
import { click, failing, run } from "../run.ts";
import { operation, told } from "./scene.ts";

const part = (ts: number, variables: object, endCursor: string) =>
  operation(
    "query Songs($first: Int, $after: String) { songs { nodes { id } } }",
    { first: 2, ...variables },
    {
      songs: {
        nodes: [{ id: `${endCursor}1` }, { id: `${endCursor}2` }],
        pageInfo: { endCursor, hasNextPage: true },
      },
    },
    { ts },
  );
const more = click("Click getByRole('button', { name: 'Show more' })", { name: "page.click", ts: 4_000 });
const count = failing({
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByRole('listitem')",
  expected: "4",
  received: "2",
});
const cause = (variables: object) =>
  told(run(...part(2_000, {}, "c2"), more, ...part(4_100, variables, "c2"), count)).join("\n");

test("a list that was asked for again without the cursor of its last part brought the same part", () => {
  expect(cause({})).toContain(
    "After “Click getByRole('button', { name: 'Show more' })” POST /graphql (Songs) was sent as before, without the cursor “c2” that the answer before had for “data.songs.pageInfo.endCursor”: it brought the same part again",
  );
});

test("it was sent with a cursor, or asked for something else", () => {
  expect(cause({ after: "c2" })).not.toContain("without the cursor");
  expect(cause({ genre: "folk" })).not.toContain("without the cursor");
});
