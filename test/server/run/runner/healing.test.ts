import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chooseBy, type Fingerprint } from "../../../../server/run/runner/fingerprint.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
let learned: Record<string, Fingerprint>;
const stepsAt = (path: string, limit: string) => [
  `go to "${path}"`,
  `click testid "add-beans" within ${limit}`,
  'expect text "Cart (1)"',
];
/** As long as a click may take; where none comes about, it is not worth waiting for. */
const STEPS = stepsAt("/", "5s");
const HEALED = stepsAt("/?mode=renamed", "2s");
const RENAMED = stepsAt("/?mode=renamed", "500ms");

beforeAll(async () => {
  lab = await runLab();
  learned = (await lab.run(STEPS)).fingerprints;
});
afterAll(() => lab.close());

describe("a target that is not there", () => {
  test("is the one element that earlier passes acted on, and the recording says so", async () => {
    expect(learned['testid "add-beans"']).toMatchObject({
      name: "Add to cart",
      heading: "House beans, 1 kg",
    });
    const outcome = await lab.run(HEALED, { fingerprints: learned });
    expect(outcome).toMatchObject({
      status: "passed",
      heals: [{ step_id: "s2", from: 'testid "add-beans"', to: 'button "Put in basket"' }],
    });
    expect(outcome.fingerprints['testid "add-beans"']).toMatchObject({ name: "Put in basket" });
    const events = await lab.events(outcome.traceId);
    const healed = { from: 'testid "add-beans"', to: 'button "Put in basket"' };
    expect(events.find(({ kind, healed }) => kind === "agent.thought" && healed)).toMatchObject({
      step_id: "s2",
      healed,
      text: expect.stringContaining('There is no testid "add-beans".'),
    });
    expect(events.find(({ kind, step_id }) => kind === "agent.action" && step_id === "s2")).toMatchObject({
      healed,
    });
  });

  test("stays missing where nothing is known, or the scenario wants its targets as they are written", async () => {
    expect(await lab.run(RENAMED)).toMatchObject({ status: "failed", heals: [] });
    const strict = await lab.run(RENAMED, {
      fingerprints: learned,
      frontmatter: "mender: { mode: suggestive, cache: never }",
    });
    expect(strict).toMatchObject({
      status: "failed",
      heals: [],
      error: { message: 'There is no testid "add-beans" on the page.' },
    });
  });

  test("is not guessed at when several elements are like it", async () => {
    const unclear = { ...learned['testid "add-beans"']!, name: "Put in basket", heading: null };
    const outcome = await lab.run(RENAMED, { fingerprints: { 'testid "add-beans"': unclear } });
    expect(outcome).toMatchObject({ status: "failed", heals: [] });
    expect(outcome.error?.message).toContain("6 elements are like the one that earlier passes found there");
  });
});

describe("what earlier passes saw", () => {
  const known: Fingerprint = {
    tag: "button",
    role: null,
    testid: "delete-42",
    id: null,
    control: null,
    label: null,
    name: "Delete",
    placeholder: null,
    heading: "Orders",
    alone: false,
    path: "tr:nth-of-type(2) > button",
  };
  const row = (n: number) => ({ ...known, testid: `delete-${n}`, path: `tr:nth-of-type(${n}) > button` });

  test("of one row of many never leads to another row that took its place", () => {
    expect(chooseBy(known, [row(1), row(2), row(3)])).toEqual({ type: "several", count: 3 });
  });

  test("leads to the element that kept its test id, label or form name, wherever it is now", () => {
    const moved = { ...known, name: "Remove", path: "main > button" };
    expect(chooseBy(known, [{ ...row(1), name: "Edit" }, moved])).toMatchObject({ type: "one", index: 1 });
  });

  test("leads nowhere by the kind of element, or its name, alone", () => {
    expect(chooseBy(known, [{ ...row(9), name: "Save", path: known.path }])).toEqual({ type: "none" });
    expect(chooseBy(known, [row(9)])).toEqual({ type: "none" });
    expect(chooseBy(known, [{ ...known, tag: "a" }])).toEqual({ type: "none" });
  });
});
