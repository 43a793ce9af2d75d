import { expect, test } from "bun:test";
import { createPages, type Page } from "../../viewer/ui/pages.ts";

/** A list whose server answers when it is told to: every question that was put waits for its answer here. */
function heldPages() {
  const questions: ((...rows: string[]) => Promise<void>)[] = [];
  const pages = createPages<string>(
    () => {
      const { promise, resolve } = Promise.withResolvers<Page<string>>();
      questions.push(async (...items) => {
        resolve({ items, next_cursor: null });
        // Whoever waits for the answer has its turn first.
        for (let turn = 0; turn < 20; turn++) await null;
      });
      return promise;
    },
    (row) => row,
  );
  return { pages, questions };
}

test("what comes while the rows are on their way is asked for once they are there", async () => {
  const { pages, questions } = heldPages();
  void pages.load();
  void pages.refresh();
  expect(questions).toHaveLength(1);
  await questions[0]!("old");
  expect(pages.items.value).toEqual(["old"]);
  expect(questions).toHaveLength(2);
  await questions[1]!("new", "old");
  expect(pages.items.value).toEqual(["new", "old"]);
  expect(questions).toHaveLength(2);
});

test("an answer that comes after that of a later question changes nothing", async () => {
  const { pages, questions } = heldPages();
  void pages.load();
  await questions[0]!("a");
  void pages.refresh();
  void pages.refresh();
  await questions[2]!("c", "b", "a");
  await questions[1]!("b", "a");
  expect(pages.items.value).toEqual(["c", "b", "a"]);
});
