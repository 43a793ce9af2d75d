import { expect, test } from "bun:test";
import fc from "fast-check";
import { sameFiles } from "../../../server/trace/causes/same-files.ts";

test("a file is the same in another checkout, wherever that lies and whatever its machine", () => {
  const mine = ["/home/ada/shop/tests/cart.spec.ts", "/home/ada/shop/tests/support.ts"];
  const theirs = ["C:\\ci\\7\\shop\\tests\\support.ts", "C:\\ci\\7\\shop\\tests\\cart.spec.ts"];
  expect([...sameFiles(mine, theirs)]).toEqual([
    [mine[0]!, theirs[1]!],
    [mine[1]!, theirs[0]!],
  ]);
});

test("of files that end alike the one that does so furthest is the same, and none where two do", () => {
  const files = ["/a/cart/index.ts", "/a/shop/index.ts"];
  expect(sameFiles(["/b/shop/index.ts"], files).get("/b/shop/index.ts")).toBe("/a/shop/index.ts");
  expect(sameFiles(["/b/pay/index.ts"], files).size).toBe(0);
  expect(sameFiles(["/b/shop/index.ts"], ["/a/shop/main.ts"]).size).toBe(0);
});

test("a new file is none that both checkouts have, though it is called so", () => {
  const theirs = ["/a/cart/index.ts"];
  expect([...sameFiles(["/a/cart/index.ts", "/a/pay/index.ts"], theirs)]).toEqual([[theirs[0]!, theirs[0]!]]);
  const moved = sameFiles(["/b/cart/index.ts", "/b/pay/index.ts"], theirs);
  expect([...moved]).toEqual([["/b/cart/index.ts", "/a/cart/index.ts"]]);
});

test("files of one checkout are themselves", () => {
  const path = fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.uniqueArray(path, { selector: (parts) => parts.join("/"), maxLength: 12 }), (paths) => {
      const files = paths.map((parts) => `/${parts.join("/")}.ts`);
      for (const file of files) expect(sameFiles(files, files).get(file)).toBe(file);
    }),
  );
});
