import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

const SECRET = "horse-staple-97";

async function thoughts(steps: string[], options: Parameters<RunLab["run"]>[1] = {}) {
  const { traceId, status } = await lab.run(steps, options);
  const events = await lab.events(traceId, "&kind=agent.thought");
  return {
    status,
    told: events.filter(({ step_id }) => step_id).map(({ step_id, text }) => [step_id, text]),
  };
}

test("every step has exactly one thought: its element, address or condition", async () => {
  const steps = [
    'go to "/"',
    'inject error 503 on "**/api/nothing"',
    'click testid "add-beans"',
    'expect text "Cart (1)"',
    "wait 10ms",
    'wait for text "Cart"',
    "advance clock by 2h",
    'request GET "/cart"',
    'set seen to text of testid "add-beans"',
    'press "Escape"',
    "screenshot",
    "clear injections",
    'go to "/?key=${secrets.KEY}"',
    'click button "Pay for nothing" within 100ms',
  ];
  const values = {
    secrets: { KEY: SECRET },
    synthetic: { email: "a@example.invalid", name: "A", region: "r", shard: "1" },
  };
  const { status, told } = await thoughts(steps, { values });
  expect(status).toBe("failed");
  expect(told.map(([step]) => step)).toEqual(steps.map((_, at) => `s${at + 1}`));
  const texts = told.map(([, text]) => String(text));
  expect(texts[0]).toBe(`The address is ${lab.shop.url}/.`);
  expect(texts[2]).toBe('Looking for testid "add-beans". It is the only one on the page.');
  expect(texts[3]).toContain('text "Cart (1)"');
  expect(texts.at(-1)).toContain('button "Pay for nothing"');
  expect(texts.join()).not.toContain(SECRET);
});
