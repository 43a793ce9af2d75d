import { expect, test } from "bun:test";
import fc from "fast-check";
import { looseNeedle } from "../../store/events/needle.ts";
import { looseMatcher } from "../../viewer/standalone/loose.ts";

/** Whether the server's search finds the text in a line. */
function serverFinds(text: string, line: string): boolean {
  const needle = looseNeedle(text);
  const data = needle.prepare(Buffer.from(line));
  const hit = data.indexOf(needle.bytes);
  return hit !== -1 && needle.accepts(data, hit, data.length);
}

const word = fc.constantFrom(
  "seq",
  "kind",
  "page",
  "Pay",
  "pay",
  "12",
  "1",
  "a",
  '"',
  "\\",
  "é",
  "É",
  ":",
  "x y",
  "true",
);
/** Signs that also stand between values are left out: the server finds those too, to nobody's use. */
const wanted = fc.constantFrom("seq", "kind", "page", "Pay", "pay", "12", "1", "a", "é", "É", "x y");
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    word,
    fc.integer({ min: 0, max: 130 }),
    fc.array(word, { maxLength: 3 }).map((words) => words.join("")),
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(word, tie("node"), { maxKeys: 3 }),
  ),
})).node;

test("a file is searched as the server searches", () => {
  fc.assert(
    fc.property(
      fc.record({ seq: fc.integer({ min: 0, max: 130 }), kind: word, page: word, body: value }),
      fc.array(wanted, { minLength: 1, maxLength: 2 }).map((words) => words.join("")),
      (event, text) => {
        const line = JSON.stringify(event);
        expect([line, text, looseMatcher(text)(line)]).toEqual([line, text, serverFinds(text, line)]);
      },
    ),
    {
      numRuns: 3000,
      examples: [
        // A number of a list behind one that only names something, and one before a text that begins with a colon.
        [{ seq: 0, kind: "seq", page: "seq", body: [{ seq: 100 }, 10] }, "1"],
        [{ seq: 0, kind: "seq", page: "seq", body: [["seq", [[12, ":"]]]] }, "12"],
      ],
    },
  );
});
