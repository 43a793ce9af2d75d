import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import type { CreatedInvitation } from "../../server/identity/invitations/model.ts";
import type { MemberList } from "../../server/identity/members/model.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
afterAll(() => scratch.remove());

const run = (...args: string[]) => runProgram([...args, "--data", scratch.at("data")]);

test("members are listed, invited and removed, and orgs listed, without a server too", async () => {
  const invited = await run("members", "invite", "Ada@people.example", "--role", "admin", "--json");
  const made = JSON.parse(invited.stdout) as CreatedInvitation;
  expect(made).toMatchObject({ email: "ada@people.example", role: "admin", is_mailed: false });
  expect(made.url).toMatch(/^http:\/\/localhost:\d+\/invitation#\w{43}$/);
  const told = await run("members", "invite", "bob@people.example");
  expect(told.stdout).toContain("/invitation#");
  expect(told.stderr).toContain("pass the link on to bob@people.example");

  const { items } = JSON.parse((await run("members", "list", "--json")).stdout) as MemberList;
  expect(items.map(({ role }) => role)).toEqual(["owner"]);
  const kept = await run("members", "remove", items[0]!.user_id);
  expect(kept.code).toBe(1);
  expect(kept.stderr).toContain("role owner");
  const orgs = await run("orgs", "list");
  expect(orgs.stdout).toContain("local");
  expect((await run("members", "invite", "c@d.example", "--role", "owner")).code).toBe(2);
});
