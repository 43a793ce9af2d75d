import { afterAll, beforeAll, expect, test } from "bun:test";
import { executable } from "../helpers/executable.ts";
import { type RunningServer, scratchFolder, startProgram } from "../helpers/program.ts";
import { directory, ENTERPRISE, GROUP, type Json, USER } from "../helpers/scim.ts";

const scratch = scratchFolder();
let command: string;
let server: RunningServer;

beforeAll(async () => {
  command = await executable();
  server = await startProgram(scratch.at("data"), { command: [command], cwd: scratch.path });
}, 300_000);
afterAll(async () => {
  await server?.stop();
  scratch.remove();
});

test("the executable knows schemas, attributes and filters by their names, and its command makes a directory's token", async () => {
  const made = Bun.spawn([command, "keys", "create", "--scim", "--data", scratch.at("data")], {
    stderr: "ignore",
  });
  const token = (await new Response(made.stdout).text()).trim();
  expect(token).toMatch(/^product_sk_\w{49}$/);
  const scim = directory((path, init) => fetch(server.url + path, init), token);
  const schemas = (await scim.get("/Schemas")).body.Resources;
  expect(schemas.map(({ id, name }: Json) => [id, name])).toEqual([
    [USER, "User"],
    [ENTERPRISE, "EnterpriseUser"],
    [GROUP, "Group"],
  ]);
  expect(schemas[0].attributes.find(({ name }: Json) => name === "emails")).toMatchObject({
    type: "complex",
    multiValued: true,
  });
  const ada = await scim.user("ada@shop.example", {
    emails: [{ value: "ada@shop.example", type: "work" }],
    [ENTERPRISE]: { department: "Engines" },
  });
  expect(ada).toMatchObject({ schemas: [USER, ENTERPRISE], meta: { resourceType: "User" }, active: true });
  const group = await scim.group("Engineers", [ada.id]);
  expect(group.meta.resourceType).toBe("Group");
  const changed = await scim.patch(`/Users/${ada.id}`, [
    { op: "Replace", path: 'emails[type eq "work"].value', value: "a@shop.example" },
    { op: "Replace", path: "active", value: "False" },
  ]);
  expect(changed.body).toMatchObject({ active: false, emails: [{ value: "a@shop.example", type: "work" }] });
  const filter = `active eq false and emails[type eq "work" and value sw "a@"] and ${ENTERPRISE}:department eq "engines"`;
  expect((await scim.find("Users", filter)).body.totalResults).toBe(1);
  expect((await scim.post("/Users", { schemas: [USER] })).body).toMatchObject({
    scimType: "invalidValue",
    status: "400",
  });
});
