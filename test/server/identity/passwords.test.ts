import { expect, setDefaultTimeout, test } from "bun:test";
import { createPasswords } from "../../../server/identity/passwords.ts";

setDefaultTimeout(120_000);

test("a password is hashed with Argon2id, 64 MiB and two passes, and found again however its letters are put together", async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash("caf\u00e9 au lait, please");
  expect(hash).toStartWith("$argon2id$v=19$m=65536,t=2,");
  expect(await passwords.isRight(hash, "cafe\u0301 au lait, please")).toBe(true);
  expect(await passwords.isRight(hash, "cafe au lait, please")).toBe(false);
  expect(await passwords.isRight(null, "caf\u00e9 au lait, please")).toBe(false);
});
