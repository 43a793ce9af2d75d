import { expect, test } from "bun:test";
import { storyOf } from "../../../../server/trace/format/story.ts";

const STORY =
  "Assertion “total” failed 6.7 s into the run. 1.9 s before, POST localhost:8080/collect was answered with 429, and the console logged the error “Failed. to load (r…”. One request was still waiting for its answer.";
const also = (title: string) => ({ also_when_passing: [{ title, count: 2 }] });

test("the paragraph leaves out what passes met as well, and nothing else", () => {
  expect(storyOf(STORY, also("POST /collect?visit=1 was answered with 429: Too many"))).toBe(
    "Assertion “total” failed 6.7 s into the run. One request was still waiting for its answer.",
  );
  expect(storyOf(STORY, also("POST /collect was answered with 500"))).toBe(STORY);
  expect(storyOf(STORY, { also_when_passing: [] })).toBe(STORY);
  expect(
    storyOf(
      "It failed. 2.0 s before, the console logged the error “hints are lost”.",
      also("The page logged the error: hints are lost"),
    ),
  ).toBe("It failed.");
  expect(storyOf(null, also("x"))).toBeNull();
});
