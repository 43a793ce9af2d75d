import type { Expectation } from "./ast.ts";
import { optionalMethod, optionalStatus } from "./http-words.ts";
import type { Reader } from "./reader.ts";
import { readTarget } from "./targets.ts";

const SUBJECTS = [
  "text",
  "url",
  "title",
  "count",
  "value",
  "visible",
  "hidden",
  "enabled",
  "checked",
  "request",
] as const;

/**
 * What follows `expect` or `expect not`.
 * @throws StepProblem
 */
export function readExpectation(reader: Reader): Expectation {
  const subject = reader.oneOf(SUBJECTS, `one of ${SUBJECTS.join(", ")}`);
  switch (subject) {
    case "text": {
      const text = reader.text("the text");
      return { type: "text", text, target: reader.takes("in") ? readTarget(reader) : null };
    }
    case "url":
    case "title":
      return {
        type: subject,
        text: reader.text(subject === "url" ? "part of the address" : "part of the title"),
      };
    case "count": {
      const count = reader.number("a number");
      reader.word("of");
      return { type: "count", count, target: readTarget(reader) };
    }
    case "value": {
      const text = reader.text("the value");
      reader.word("in");
      return { type: "value", text, target: readTarget(reader) };
    }
    case "request": {
      const method = optionalMethod(reader);
      const url = reader.text("part of the address, or a glob,");
      return { type: "request", method, url, status: optionalStatus(reader) };
    }
    default:
      return { type: subject, target: readTarget(reader) };
  }
}
