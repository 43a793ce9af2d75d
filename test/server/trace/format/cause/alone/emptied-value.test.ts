import { describe, expect, test } from "bun:test";
import { click, exchange, failing, run, told } from "../run.ts";

const fill = (label: string, value: string, ts: number, more: object = {}) => ({
  kind: "agent.action",
  step_id: `fill ${label} ${ts}`,
  name: "fill",
  title: `Fill ${label}`,
  params: { selector: `internal:label="${label}"i`, value },
  duration_ms: 20,
  ts,
  ...more,
});
const NAME = fill("Full name", "Edda Holm", 2_000);
const PHONE = fill("Phone", "+49 30 9000", 2_100);
const SEND = click("Create", { ts: 4_000 });
const create = (input: object, ts = 4_020) =>
  exchange("/graphql", {
    ts,
    method: "POST",
    request: { body: JSON.stringify({ operationName: "CreateIntake", variables: { input } }) },
    body: JSON.stringify({ data: { createIntake: input } }),
  });
const IN_VAIN = failing({ expected: '"Phone: +49 30 9000"', received: '"Phone: "' });
const isTold = (...events: Parameters<typeof run>) =>
  told(run(...events, SEND, ...create({ name: "", phone: "", insurer: "AOK" }), IN_VAIN)).some((one) =>
    one.includes("empty value"),
  );

describe("a write with empty values for what the test had filled in", () => {
  test("is told with what was given, by the names that both have", () => {
    expect(told(run(NAME, PHONE, SEND, ...create({ name: "", phone: "", insurer: "AOK" }), IN_VAIN))[0]).toBe(
      "page_changed: POST /graphql (CreateIntake) was sent with empty values for “variables.input.name” and “variables.input.phone”, though the test had given “Edda Holm” in “Full name” and “+49 30 9000” in “Phone” before",
    );
    expect(told(run(PHONE, SEND, ...create({ phone: null, plan: "AOK" }), IN_VAIN))[0]).toStartWith(
      "page_changed: POST /graphql (CreateIntake) was sent with an empty value for “variables.input.phone”, though",
    );
  });

  test("is as the test wanted it where it cleared the fields, or opened the page anew", () => {
    expect(isTold(NAME, PHONE)).toBeTrue();
    expect(isTold(NAME, PHONE, fill("Phone", "", 2_200), fill("Full name", "", 2_300))).toBeFalse();
    expect(isTold(NAME, PHONE, { ...NAME, step_id: "r", name: "reload", params: {}, ts: 3_000 })).toBeFalse();
  });

  test("has them by other names where they are written otherwise, or another request said them", () => {
    expect(isTold(NAME, PHONE, ...create({ name: "Edda Holm", mobile: "+49309000" }, 3_500))).toBeFalse();
    const other = create({ referralName: "", phoneKind: "", e164: 5 });
    expect(told(run(NAME, PHONE, SEND, ...other, IN_VAIN)).join()).not.toContain("empty value");
  });

  test("is no cause where the test looks for something else and but one field is called so", () => {
    const events = [NAME, SEND, ...create({ name: "", plan: "AOK" })];
    expect(told(run(...events, failing())).join()).not.toContain("empty value");
  });
});
