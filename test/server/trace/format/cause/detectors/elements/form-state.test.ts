import { describe, expect, test } from "bun:test";
import { first, page, run, save, savedInVain } from "../../run.ts";

const target = "getByRole('button', { name: 'Save' })";
const form = (fields: string, attributes = "") =>
  page(`<form ${attributes}>${fields}<button disabled>Save</button></form>`, { step_id: "save", ts: 7_000 });
const inVain = savedInVain({ log: [`waiting for ${target}`, "element is not enabled"] });
const alone = (fields: string, attributes = "") => first(run(inVain, form(fields, attributes)));
const said = `element_disabled: ${target} was disabled`;
const name = (value: string, more = "") => `<label>Name <input name="name" value="${value}" ${more}></label>`;
const role = (picked: string) =>
  `<label>Role <select><option value="">None</option><option value="a" ${picked}>Admin</option></select></label>`;
const terms = (more = "") => `<label><input type="checkbox" ${more}>Send me news</label>`;

describe("a disabled button is told", () => {
  test("with its being enabled in the last pass, which used it", () => {
    expect(first(run(inVain, form(name(""))), run(save()))).toBe(
      `${said}, where the last pass has it enabled`,
    );
    expect(alone(name(""))).toBe(said);
  });

  test("with its form, where that lacks nothing", () => {
    expect(alone(name("Ann") + role("selected") + terms("checked"))).toBe(
      `${said}, with every field of its form filled`,
    );
    expect(first(run(inVain, form(name("Ann"))), run(save()))).toBe(
      `${said}, with every field of its form filled, where the last pass has it enabled`,
    );
    for (const open of [name(""), name("Ann") + role(""), name("Ann") + terms(), ""])
      expect(alone(open)).toBe(said);
  });

  test("with what the page itself holds of its form", () => {
    expect(alone(name(""), 'class="ng-dirty ng-valid"')).toBe(`${said}, though its form was marked as valid`);
    expect(alone(name("Ann") + name("", "hidden"), 'class="not-ng-valid"')).not.toContain("as valid");
  });

  test("with a field that was marked as invalid, but for what a password is", () => {
    const marked = `${said}, while “Name”`;
    expect(alone(name("A", 'class="ng-invalid"'))).toBe(`${marked} (“A”) was marked as invalid`);
    expect(alone(name("A", 'type="password" class="ng-invalid"'))).toBe(`${marked} was marked as invalid`);
  });
});
