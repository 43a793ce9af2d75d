import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  parseSearch,
  readSearch,
  type SearchFilters,
  searchParameters,
  TOKEN_NAMES,
  writeSearch,
} from "../../../../server/trace/format/search-tokens.ts";

const NOW = Date.parse("2026-03-31T12:00:00.000Z");

const VALUES: Record<(typeof TOKEN_NAMES)[number], fc.Arbitrary<string>> = {
  status: fc.constantFrom("failed", "-passed"),
  sig: fc.constantFrom("sig_0123456789abcdef"),
  scenario: fc.constantFrom("checkout", "guest-checkout"),
  source: fc.constantFrom("pr", "-shadow_diff"),
  tier: fc.constantFrom("hot", "-cold"),
  pinned: fc.constantFrom("true", "false"),
  after: fc.constantFrom("today", "yesterday", "24h", "2026-03-01", "2026-03-01T10:30Z"),
  before: fc.constantFrom("1d", "2026-03-31"),
  pr: fc.nat().map(String),
  sha: fc.constantFrom("4d07b3f", "4D07b3f1c2"),
  region: fc.constantFrom("eu-west-1", "my region"),
  step: fc.constantFrom("pay", "add to cart", "pa*"),
  kind: fc.constantFrom("console.error", "network.*"),
  dur: fc.constantFrom(">5s", "<=500ms", "1s..2m"),
  size: fc.constantFrom(">=10MB", "1kB..1GB"),
};

const anyFilters = fc.record(
  { ...VALUES, words: fc.constantFrom("", "timeout", '"order confirmed" check*', "https://shop.test/a:b") },
  { requiredKeys: ["words"] },
) as fc.Arbitrary<SearchFilters>;

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...TOKEN_NAMES).map((name) => `${name}:`),
        fc.constantFrom("-", '"', " ", ">", "..", "5s", "failed", "2026-02-30", ":", "*", "\0", "\n"),
        fc.string({ maxLength: 6 }),
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join("")),
);

describe("search tokens", () => {
  test("whatever is typed is read, its pieces in order and nothing but spaces between them", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let at = 0;
        for (const { start, end } of parseSearch(text, NOW)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          expect(text.slice(at, start).trim()).toBe("");
          at = end;
        }
        expect(text.slice(at).trim()).toBe("");
        searchParameters(readSearch(text, NOW), NOW);
      }),
      { numRuns: 2000 },
    );
  });

  test("filters that are written out are read again as they were", () => {
    fc.assert(
      fc.property(anyFilters, (filters) => {
        expect(readSearch(writeSearch(filters), NOW)).toEqual(filters);
      }),
      { numRuns: 1000 },
    );
  });

  test("what was read and written once stays as it is", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = writeSearch(readSearch(text, NOW));
        expect(writeSearch(readSearch(once, NOW))).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["status:fialed", "one of failed, error, passed"],
    ["after:yestrday", "today, yesterday"],
    ["before:2026-02-30", "2026-03-31"],
    ["pr:abc", "pr:482"],
    ["dur:5", "dur:>5s"],
    ["dur:9s..1s", "dur:>5s"],
    ["size:>10parsecs", "size:>10MB"],
    ["kind:a,b", "kind:network.*"],
    ["-step:pay", "-status:"],
    ["sha:4d", "at least 3 characters"],
    ["step:", 'step:"add to cart"'],
  ])("%s is told what would be right", (text, right) => {
    const [term] = parseSearch(text, NOW);
    expect(term?.error).toContain(right);
    expect(readSearch(text, NOW)).toEqual({ words: text });
    expect(searchParameters(readSearch(text, NOW), NOW)).toEqual({});
  });

  test("a token that is there twice counts once, and the second says so", () => {
    const terms = parseSearch("status:failed status:passed", NOW);
    expect(terms.map(({ error }) => error)).toEqual([null, "status: is there already"]);
  });

  test("tokens become the parameters of the list", () => {
    const text =
      'timeout -status:passed sig:sig_1 after:24h before:2026-03-31T10:00:00Z dur:>5s size:1kB..2MB step:"add to cart" "order confirmed"';
    expect(searchParameters(readSearch(text, NOW), NOW)).toEqual({
      not_status: "passed",
      signature: "sig_1",
      from: "2026-03-30T12:00:00.000Z",
      to: "2026-03-31T10:00:00.000Z",
      min_duration_ms: "5001",
      min_size: "1000",
      max_size: "2000000",
      step: "add to cart",
      q: 'timeout "order confirmed"',
    });
  });
});
