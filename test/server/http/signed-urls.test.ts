import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createSignedUrls, loadSigningKey } from "../../../server/http/signed-urls.ts";
import { createTestClock } from "../../helpers/app.ts";

const clock = createTestClock();
const urls = createSignedUrls({ key: new Uint8Array(32).fill(7), clock, seconds: 3600 });
const verify = (url: string) => () => urls.verify(new URL(url));

describe("signed URLs", () => {
  test("hold for their time and not longer", () => {
    const url = urls.sign("http://localhost:4173", "/files/a b/ü", { name: "x&y=z" });
    expect(verify(url)).not.toThrow();
    clock.advance(3_599_000);
    expect(verify(url)).not.toThrow();
    clock.advance(2_000);
    expect(verify(url)).toThrow("expired");
  });

  test("do not depend on host or order of parameters", () => {
    const url = new URL(urls.sign("http://localhost", "/f", { b: "1", a: "2" }));
    const turned = new URL(
      `https://other.example/f?${[...url.searchParams]
        .reverse()
        .map((p) => p.join("="))
        .join("&")}`,
    );
    expect(() => urls.verify(turned)).not.toThrow();
  });

  test("break with any change", () => {
    const url = urls.sign("http://localhost", "/files/abc", { disposition: "inline" });
    fc.assert(
      fc.property(
        fc.integer({ min: "http://localhost".length, max: url.length - 1 }),
        fc.constantFrom(..."aZ09-/="),
        (at, char) => {
          if (url[at] === char) return;
          const changed = url.slice(0, at) + char + url.slice(at + 1);
          if (new URL(changed).href === new URL(url).href) return;
          expect(verify(changed)).toThrow();
        },
      ),
    );
    for (const extra of ["&x=1", "&expires=9999999999", "&signature=x"])
      expect(verify(url + extra)).toThrow();
    expect(verify("http://localhost/files/abc")).toThrow();
  });

  test("of another key do not hold", () => {
    const other = createSignedUrls({ key: new Uint8Array(32), clock, seconds: 3600 });
    expect(verify(other.sign("http://localhost", "/f"))).toThrow("altered");
  });
});

describe("the signing key", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tracedeck-key-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is made once, readable by its owner only", () => {
    const path = join(folder, "signing.key");
    const first = loadSigningKey(path, (length) => new Uint8Array(length).fill(1));
    const again = loadSigningKey(path, (length) => new Uint8Array(length).fill(2));
    expect(again).toEqual(first);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("that is damaged is told, not replaced", () => {
    const path = join(folder, "damaged.key");
    writeFileSync(path, "xyz");
    expect(() => loadSigningKey(path, (length) => new Uint8Array(length))).toThrow(path);
  });
});
