import { expect, test } from "bun:test";
import { posix, resolve, win32 } from "node:path";
import fc from "fast-check";
import { isWithin } from "../../../../server/platform/file-within.ts";
import { pathProblem } from "../../../../server/run/language/paths.ts";

test("a path without a problem stays within any folder, and is spelled one way", () => {
  const part = fc.oneof(fc.constantFrom("..", ".", "", "a", "..a", "C:", "\\", "\0", "é"), fc.string());
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
      const path = parts.join("/");
      if (pathProblem(path)) return;
      expect(posix.normalize(path)).toBe(path);
      expect(isWithin("/home", resolve("/home", path))).toBe(true);
      expect(isWithin("C:\\home", win32.resolve("C:\\home", path), win32)).toBe(true);
    }),
  );
});
