import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { marked } from "marked";
import { createGateLinks } from "../../../server/gate/decisions/links.ts";
import { isEnded, sourcesOf, TRANSITIONS } from "../../../server/gate/flow/transitions.ts";
import { fillTemplate } from "../../../server/gate/plan/address.ts";
import { compileHead, type HeadScenario } from "../../../server/gate/plan/compile-task.ts";
import { concernedBy, needsAddress } from "../../../server/gate/plan/concerned.ts";
import { codeOf, proseOf } from "../../../server/gate/tell/prose.ts";
import { conclusionOf, titleOf } from "../../../server/gate/tell/words.ts";
import { type Finding, type Standing, verdictOf } from "../../../server/gate/verdict/finding.ts";
import { flakyBefore } from "../../../server/gate/verdict/flaky.ts";
import { isSameFailure } from "../../../server/gate/verdict/same.ts";
import { createIds } from "../../../server/platform/ids.ts";
import type { GateRow, GateStatus } from "../../../store/records/gates.ts";

const finding = (more: Partial<Finding>): Finding => ({
  ...{ outcome: "passed", blocks: false, run_id: "r", trace_id: null, duration_ms: 1, headline: null },
  ...{
    error_reason: null,
    failed_step: null,
    failure_signature: null,
    last_pass: null,
    differs: [],
    known: [],
  },
  ...more,
});
const standing = (more: Partial<Finding> | null, withheld: string | null = null): Standing => ({
  ...{ slug: "s", withheld, finding: more && finding(more) },
});
const FAILS = { outcome: "failed", blocks: true } as const;
const KNOWN = { outcome: "failed", blocks: false } as const;
const BROKEN = { outcome: "error" } as const;

describe("the states of a gate", () => {
  test("lead to a verdict, and nothing follows one", () => {
    expect(
      Object.entries(TRANSITIONS)
        .filter(([, to]) => to.length === 0)
        .map(([from]) => from),
    ).toEqual(["passed", "failed", "error", "superseded", "cancelled"]);
    expect(sourcesOf("running")).toEqual(["queued", "waiting"]);
    expect(sourcesOf("waiting")).toEqual(["queued"]);
    expect(sourcesOf("passed")).toEqual(["queued", "running"]);
    expect(sourcesOf("queued")).toEqual([]);
    expect(isEnded("waiting")).toBe(false);
  });

  test.each([
    ["one still runs", [standing({}), standing(null)], null],
    ["all pass", [standing({}), standing({})], "passed"],
    ["one fails because of the commit", [standing({}), standing(FAILS), standing(BROKEN)], "failed"],
    ["one failed before", [standing(KNOWN), standing({})], "passed"],
    ["one broke on our side", [standing(BROKEN), standing(KNOWN)], "error"],
    ["one was not run", [standing({}), standing(null, "It needs CARD.")], "failed"],
  ] as const)("the verdict when %s", (_, standings, status) => {
    expect(verdictOf(standings)?.status ?? null).toBe(status);
  });

  const gate = (status: GateStatus, decision: GateRow["decision"] = null) =>
    ({ status, decision }) as GateRow;
  const told = (one: GateRow, findings: Partial<Finding>[] = []) =>
    conclusionOf({
      gate: one,
      scenarios: findings.map((more) => ({ finding: finding(more), withheld: null }) as never),
    });
  test.each([
    ["queued", [], { status: "queued" }],
    ["waiting", [], { status: "in_progress" }],
    ["running", [], { status: "in_progress" }],
    ["passed", [], { status: "completed", conclusion: "success" }],
    ["failed", [FAILS], { status: "completed", conclusion: "failure" }],
    ["error", [BROKEN], { status: "completed", conclusion: "failure" }],
    ["error", [{ ...BROKEN, error_reason: "timeout" }], { status: "completed", conclusion: "timed_out" }],
    ["superseded", [], { status: "completed", conclusion: "cancelled" }],
    ["cancelled", [], { status: "completed", conclusion: "cancelled" }],
  ] as const)("%s with %j is told the host as %j", (status, findings, expected) => {
    expect(told(gate(status), [...findings])).toEqual(expected);
  });
  test("what people decided outweighs the verdict", () => {
    expect(told(gate("failed", "approved"), [FAILS])).toMatchObject({ conclusion: "success" });
    expect(told(gate("passed", "rejected"))).toMatchObject({ conclusion: "failure" });
    expect(titleOf({ gate: gate("failed", "approved"), scenarios: [] })).toBe("Approved");
  });
});

describe("a failure is flaky", () => {
  const past = (letters: string) =>
    [...letters].toReversed().map((letter) => ({
      status: letter === "." ? "passed" : "failed",
      letter,
      ...{ code_sha: "one", region: null, fire: null },
    }));
  test.each([
    ["a.a.", 2],
    ["a.", null],
    ["aaaa.", null],
    ["a.b.", null],
    ["..a..a..a.", 3],
    ["a.aa", null],
  ])("oldest first, %s says %p", (letters, times) => {
    expect(flakyBefore(past(letters), ({ letter }) => letter === "a")?.times ?? null).toBe(times);
  });

  test("only by what the same code did: that the base commit passes says that the code differs", () => {
    const of = (code_sha: string, status: string) => ({ code_sha, status, region: null, fire: null });
    const pushes = ["one", "two", "three"].flatMap((sha) => [of(sha, "failed"), of("base", "passed")]);
    const isSame = () => true;
    expect(flakyBefore(pushes.toReversed(), isSame)).toBeNull();
    const both = [...pushes, of("one", "passed"), of("two", "passed")];
    expect(flakyBefore(both.toReversed(), isSame)?.times).toBe(2);
  });

  test("without a commit only by another attempt at the same fire, and never by what another region saw", () => {
    const isSame = () => true;
    const of = (letters: string, more: (at: number) => object) =>
      past(letters).map((one, at) => ({ ...one, code_sha: null, ...more(letters.length - 1 - at) }));
    // Two outages, each mended by a deployment that nobody told of.
    expect(
      flakyBefore(
        of("..aaa.aaa..", () => ({})),
        isSame,
      ),
    ).toBeNull();
    expect(
      flakyBefore(
        of("a.a.", (at) => ({ fire: String(at) })),
        isSame,
      ),
    ).toBeNull();
    expect(
      flakyBefore(
        of("a.a.", (at) => ({ fire: String(at >> 1) })),
        isSame,
      )?.times,
    ).toBe(2);
    const regions = of("a.a.", (at) => ({ code_sha: "one", region: at % 2 ? "eu" : "us" }));
    expect(flakyBefore(regions, isSame)).toBeNull();
  });
});

test.each([
  ["by its signature", { failure_signature: "sig_a" }, { failure_signature: "sig_a" }, true],
  [
    "whatever else the page said",
    'Expected the text "A", but found "x".',
    'Expected the text "A", but found "y".',
    true,
  ],
  [
    "but not when it lacks something else",
    'Expected the text "A", but found "x".',
    'Expected the text "B", but found "x".',
    false,
  ],
  [
    "but not at another step",
    { failure_message: "There is no button.", failed_step_id: "s1" },
    { failure_message: "There is no button.", failed_step_id: "s2" },
    false,
  ],
  ["but not when nobody knows", {}, {}, false],
])("a failure is the same %s", (_, one, other, expected) => {
  const failure = (given: string | object) => ({
    ...{ failure_signature: null, failure_message: null },
    ...(typeof given === "string" ? { failure_message: given } : given),
  });
  expect(isSameFailure(failure(one), failure(other))).toBe(expected);
});

describe("which scenarios a change concerns", () => {
  async function head(files: Record<string, string>): Promise<HeadScenario[]> {
    const list = Object.entries(files).map(([path, text]) => ({ path, text }));
    const { ready, problems } = await compileHead({
      files: list,
      before: null,
      rules: { regions: [], leastMinutes: 1 } as never,
    });
    expect(problems).toEqual([]);
    return ready;
  }
  const file = (slug: string, steps: string, more = "") =>
    `---\nslug: ${slug}\ntitle: T\n${more}---\n${steps}\n`;

  test("those whose covers, scripts or own file it touches, and that use what it touches", async () => {
    const [pay, login] = await head({
      "e2e/pay.scenario.md": file("pay", '1. use "login"\n2. click text "Pay"', 'covers: ["src/pay/**"]\n'),
      "e2e/login.scenario.md": file("login", '1. go to "/"'),
    });
    const by = (paths: string[], used: string[] = [], isCut = false) =>
      concernedBy(pay!, used, { paths, isCut }).map(({ path, rule }) => `${path} ${rule}`);
    expect(by(["src/pay/a.ts", "docs/a.md"])).toEqual(["src/pay/a.ts covers"]);
    expect(by(["public/assets/cart.js"], ["/assets/cart.js"])).toEqual(["public/assets/cart.js coverage"]);
    expect(by(["e2e/pay.scenario.md"])).toEqual(["e2e/pay.scenario.md scenario_file"]);
    expect(by(["e2e/login.scenario.md"])).toEqual(["e2e/login.scenario.md scenario_file"]);
    expect(by(["docs/a.md"])).toEqual([]);
    expect(by(["docs/a.md"], [], true)).toEqual(["null all"]);
    expect(concernedBy(login!, [], { paths: ["e2e/pay.scenario.md"], isCut: false })).toEqual([]);
  });

  test("a scenario without a base_url that names whole addresses needs no preview", async () => {
    const [whole, relative, based] = await head({
      "a.scenario.md": file("a", '1. go to "https://x.example/"'),
      "b.scenario.md": file("b", '1. go to "/"'),
      "c.scenario.md": file("c", '1. go to "https://x.example/"', "base_url: https://x.example\n"),
    });
    expect([whole, relative, based].map((one) => needsAddress(one!.scenario))).toEqual([false, true, true]);
  });

  test("a template becomes an address, and what it cannot be filled with is said", () => {
    const of = { pr_number: 7, head_ref: "Feature/Nice_Thing!", sha: "a".repeat(40) };
    expect(fillTemplate("https://{number}-{short_sha}.x/{branch}", of)).toBe(
      "https://7-aaaaaaa.x/feature-nice-thing",
    );
    expect(() => fillTemplate("https://{pr}.x", of)).toThrow("has {pr}; {number}, {sha}");
    expect(() => fillTemplate("https://{number}.x", { ...of, pr_number: null })).toThrow(
      "belongs to no pull request",
    );
    expect(() => fillTemplate("{sha}", of)).toThrow("makes no http(s) address");
  });
});

/** What a reader sees of rendered Markdown. */
const shown = (html: string): string =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll("\u2060", "");

describe("what pages say, in the comment", () => {
  const NASTY = [
    ..."`*_[]()<>!#@|~$&\\-+=.:/\n\"'{}",
    ...["@ada", "#7", "GH-7", "https://evil.example", "www.evil.example", "![x](y)", "[x](y)", "<!channel>"],
    ...[
      "<img src=x>",
      "<!-- tracedeck-gate -->",
      "```",
      "- ",
      "1. ",
      "> ",
      "    ",
      "\u202e",
      "&lt;",
      "a",
      " ",
      "7",
    ],
  ];
  const text = fc.array(fc.constantFrom(...NASTY), { maxLength: 12 }).map((parts) => parts.join(""));
  const plain = (given: string) => given.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();

  test("is shown as it stands, makes no link, element or mention, and stays on its line", () => {
    fc.assert(
      fc.property(
        text.filter((given) => plain(given) !== ""),
        (given) => {
          const written = proseOf(given);
          expect(written).not.toContain("\n");
          for (const [before, after] of [
            ["", ""],
            ["x ", " x"],
          ] as const) {
            const html = marked.parse(`${before}${written}${after}`, { gfm: true, async: false }).trim();
            expect(html.match(/<[a-z!][^>]*>/gi)).toEqual(["<p>"]);
            expect(shown(html)).toBe(`${before}${plain(given)}${after}`);
          }
          expect(written).not.toMatch(/@\w|#\d|GH-\d|:\/\/|www\./);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("as code is shown as it stands too", () => {
    fc.assert(
      fc.property(
        text.filter((given) => plain(given) !== ""),
        (given) => {
          const html = marked.parse(`x ${codeOf(given)} x`, { gfm: true, async: false }).trim();
          expect(html.match(/<[a-z!][^>]*>/gi)).toEqual(["<p>", "<code>"]);
          expect(shown(html)).toBe(`x ${plain(given)} x`);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("links that carry their own permission", () => {
  const NOW = Date.parse("2026-03-01T12:00:00Z");
  const ids = createIds({ now: () => NOW });
  const links = createGateLinks(new Uint8Array(32).fill(1), ids);
  const of = { gateId: "g", orgId: "o", act: "approve", issuer: "https://x.example" } as const;

  test("are read for an hour, by whom has the key, for what they were made", async () => {
    const token = await links.signDecision(of, NOW);
    expect(await links.readDecision(token, NOW + 3_599_000)).toMatchObject({ gateId: "g", act: "approve" });
    expect(await links.readDecision(token, NOW + 3_601_000)).toBe("expired");
    const other = createGateLinks(new Uint8Array(32).fill(2), ids);
    expect(await other.readDecision(token, NOW)).toBe("invalid");
    const picture = await links.signPicture({ gateId: "g", slug: "s" }, NOW);
    expect(await links.readPicture(picture, NOW)).toEqual({ gateId: "g", slug: "s" });
    expect(await links.readDecision(picture, NOW)).toBe("invalid");
    expect(await links.readPicture(token, NOW)).toBeNull();
  });

  test("are none when anything of them was changed", async () => {
    const token = await links.signDecision(of, NOW);
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(..."Az0_.-"), async (at, sign) => {
        const altered = token.slice(0, at) + sign + token.slice(at + 1);
        fc.pre(altered !== token);
        const found = await links.readDecision(altered, NOW);
        // The last character of a base64url text has bits that mean nothing.
        if (at !== token.length - 1) expect(found).toBe("invalid");
      }),
      { numRuns: 200 },
    );
  });
});
