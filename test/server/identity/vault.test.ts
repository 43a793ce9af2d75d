import { expect, test } from "bun:test";
import fc from "fast-check";
import { createVault, type SealedPlace } from "../../../server/identity/secrets/vault.ts";
import { createIds } from "../../../server/platform/ids.ts";

const { bytes } = createIds({ now: () => 0 });
const vault = createVault(bytes(32), bytes);
const text = fc.string({ unit: "grapheme" }).filter((given) => given.isWellFormed());
const place: fc.Arbitrary<SealedPlace> = fc.record({
  orgId: fc.uuid(),
  name: fc.constantFrom("A", "B"),
  origins: fc.constantFrom(null, ["https://a.example"], ["https://a.example", "https://b.example"]),
});

test("what was sealed opens with its key, for its place and whole, and not otherwise", () => {
  const other = createVault(bytes(32), bytes);
  fc.assert(
    fc.property(text, place, place, fc.nat(), (value, here, there, at) => {
      const sealed = vault.seal(here, value);
      expect(vault.open(here, sealed)).toBe(value);
      expect(other.open(here, sealed)).toBeNull();
      expect(vault.open(there, sealed)).toBe(JSON.stringify(here) === JSON.stringify(there) ? value : null);
      const altered = sealed.slice();
      altered[at % altered.length]! ^= 1;
      expect(vault.open(here, altered)).toBeNull();
      expect(vault.open(here, sealed.slice(0, at % sealed.length))).toBeNull();
      expect(vault.seal(here, value)).not.toEqual(sealed);
    }),
  );
});
