import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RELEASES } from "../../../fixtures/releases/releases.ts";
import type { Suspect } from "../../../server/trace/format/cause/types.ts";
import { causeOfArchive } from "../../helpers/archive-cause.ts";

setDefaultTimeout(120_000);

const KEPT = join(import.meta.dir, "../../../fixtures/releases");

/** What has to be read of each failure, whatever the release's words for it. */
const READ: Record<
  string,
  { kind: Suspect["kind"]; says: RegExp; expected?: string; received?: string; message?: RegExp }
> = {
  hidden: { kind: "element_hidden", says: /#pay.* not visible/ },
  covered: {
    kind: "element_covered",
    says: /<div id="layer">.* covered getByRole\('button', \{ name: 'Hold' \}\)/,
  },
  disabled: { kind: "element_disabled", says: /name: 'Send' \}\) was disabled/ },
  unstable: { kind: "element_unstable", says: /name: 'Swing' \}\) kept moving/ },
  ambiguous: { kind: "element_ambiguous", says: /name: 'Remove' \}\) matched 2 elements/ },
  "missing action": {
    kind: "element_renamed",
    says: /name: 'Sent' \}\) was not found; the page has a button “Send”/,
  },
  missing: { kind: "element_missing", says: /getByText\('Thank you'\) was nowhere on the page/ },
  text: {
    kind: "assertion",
    says: /#total.* had "Total: 12.00" where the test expects "Total: 13.00"/,
    expected: '"Total: 13.00"',
    received: '"Total: 12.00"',
  },
  count: {
    kind: "assertion",
    says: /listitem.* was there 2 times where the test expects 3/,
    expected: "3",
    received: "2",
  },
  title: {
    kind: "assertion",
    says: /page was titled "Till" where the test expects "Receipt"/,
    expected: '"Receipt"',
    received: '"Till"',
  },
  enabled: { kind: "element_disabled", says: /#send.* was disabled/ },
  visible: { kind: "element_hidden", says: /#pay.* not visible/ },
  value: { kind: "assertion", says: /expected 3, received 2/, expected: "3", received: "2" },
  object: { kind: "assertion", says: /toEqual/ },
  pass: { kind: "assertion", says: /Total: 13.00.*Total: 12.00/ },
  poll: { kind: "assertion", says: /expected 3, received 2/ },
  soft: { kind: "assertion", says: /#total.* had "Total: 12.00" where the test expects "Total: 13.00"/ },
  helper: { kind: "test_code", says: /No currency in Total: 12.00 at .*failures\.spec\.cjs:\d+/ },
  timeout: { kind: "element_missing", says: /#receipt.* was nowhere on the page/ },
  refused: { kind: "request_failed", says: /127\.0\.0\.1:65501\/till.*connection refused/ },
  popup: { kind: "popup", says: /popup never opened/ },
  closed: { kind: "crash", says: /closed/ },
  "hook timeout": { kind: "element_missing", says: /#receipt.* was nowhere on the page/ },
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

for (const version of RELEASES)
  test(`failures that Playwright ${version} recorded are read right, without a pass before them`, async () => {
    const names = readdirSync(join(KEPT, version)).filter((name) => name.endsWith(".zip"));
    expect(names.map((name) => name.slice(0, -4).replaceAll("-", " ")).sort()).toEqual(
      Object.keys(READ).sort(),
    );
    const wrong: string[] = [];
    for (const [title, wanted] of Object.entries(READ)) {
      const archive = join(KEPT, version, `${title.replaceAll(" ", "-")}.zip`);
      const { failure, cause } = await causeOfArchive(root, archive);
      const [first] = cause.suspects;
      const said = `${first?.kind}: ${cause.headline} [${failure?.expected} / ${failure?.received}]`;
      const isRight =
        first?.kind === wanted.kind &&
        wanted.says.test(`${first.title} ${first.detail ?? ""}`) &&
        (wanted.expected === undefined || failure?.expected === wanted.expected) &&
        (wanted.received === undefined || failure?.received === wanted.received);
      if (!isRight) wrong.push(`${title}: ${said}`);
    }
    expect(wrong).toEqual([]);
  });
