import { expect, test } from "bun:test";
import { RULES } from "../../../../../server/trace/format/cause/plausibility/rules.ts";
import { sceneOf } from "../../../../../server/trace/format/cause/plausibility/scene.ts";
import type { Finding } from "../../../../../server/trace/format/cause/types.ts";
import { evidenceIn, failing, passing, run } from "./run.ts";

const line = (is_new: boolean | null): Finding => ({
  kind: "console_error",
  title: "The page logged the error: [cart] price of 7 is stale",
  detail: null,
  step_id: null,
  events: [1],
  ts: 1_004_000,
  is_new,
  weight: 0.4,
  about: "error [cart] price of 7 is stale",
});

/** Names of the rules that go through all other findings to judge one. */
function looksAround(finding: Finding): string[] {
  const evidence = evidenceIn([], run(failing()), run(passing()));
  const scene = sceneOf([finding], evidence);
  return RULES.flatMap((rule) => {
    let looks = 0;
    const news = new Proxy(scene.news, {
      get(all, name) {
        if (name === Symbol.iterator || typeof Reflect.get(all, name) === "function") looks += 1;
        return Reflect.get(all, name);
      },
    });
    const around = { ...scene, news };
    // What all findings say together is looked up once for all of them.
    rule(finding, around);
    looks = 0;
    rule(finding, around);
    return looks > 0 ? [rule.name] : [];
  });
}

test("no rule looks at all findings for a line of the console, of which a page may log thousands", () => {
  expect([false, true, null].flatMap((is_new) => looksAround(line(is_new)))).toEqual([]);
});

/** Names of the rules that go through a run once more for each of the other findings. */
function readsForEach(finding: Finding): string[] {
  const readsBeside = (others: number) => {
    const evidence = evidenceIn([], run(failing()), run(passing()));
    const reads = { count: 0 };
    const facts = new Proxy(evidence.run.facts, {
      get(all, name) {
        if (name === "steps" || name === "exchanges") reads.count += 1;
        return Reflect.get(all, name);
      },
    });
    const counted = { ...evidence, run: { ...evidence.run, facts } };
    const lines = Array.from({ length: others }, (_, at) => ({ ...line(true), title: `Line ${at}` }));
    const scene = sceneOf([finding, ...lines], counted);
    return RULES.map((rule) => {
      reads.count = 0;
      rule(finding, scene);
      return reads.count;
    });
  };
  const [few, many] = [readsBeside(1), readsBeside(50)];
  return RULES.flatMap((rule, at) => (many[at]! > few[at]! + 5 ? [rule.name] : []));
}

test("no rule goes through the run for each other finding, for a refused request, of which a page may have hundreds", () => {
  const refused: Finding = { ...line(true), kind: "request_failed", title: "GET /a was answered with 503" };
  expect(readsForEach(refused)).toEqual([]);
});
