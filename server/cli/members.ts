import { type Command, InvalidArgumentError } from "commander";
import type { Role } from "../../store/records/schema.ts";
import type { CreatedInvitation } from "../identity/invitations/model.ts";
import type { MemberList } from "../identity/members/model.ts";
import { ROLES } from "../identity/scopes.ts";
import { callJson } from "./call.ts";
import { type CommonOptions, example, uuid, withRecords } from "./options.ts";
import { note, say, sayJson, table } from "./output.ts";
import { withSession } from "./session.ts";

/** `members list|invite|remove`. */
export function membersCommands(program: Command): void {
  const members = program.command("members").description("who belongs to the org");
  example(members, "tracedeck members list");
  listCommand(members);
  inviteCommand(members);
  removeCommand(members);
}

function listCommand(members: Command) {
  const command = members.command("list").description("members with their roles, in the order of joining");
  example(withRecords(command), "tracedeck members list");
  command.action(async (options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      const items: MemberList["items"] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const page: MemberList = await callJson<MemberList>(client, `/v1/members?limit=200${more}`);
        items.push(...page.items);
        cursor = page.next_cursor;
      }
      if (options.json) return sayJson({ items, next_cursor: null });
      table(
        ["id", "name", "email", "role", "since"],
        items.map(({ user_id, name, email, role, joined_at }) => [user_id, name, email, role, joined_at]),
      );
    });
  });
}

function inviteCommand(members: Command) {
  const command = members
    .command("invite")
    .argument("<email>", "one mail address")
    .description("invite an address, for 7 days; the link is shown once")
    .option("--role <role>", "admin, member or billing", knownRole, "member");
  example(withRecords(command), "tracedeck members invite ada@example.com --role admin");
  command.action(async (email: string, options: CommonOptions & { role: Role }) => {
    await withSession(options, async ({ client }) => {
      const made = await callJson<CreatedInvitation>(client, "/v1/invitations", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email, role: options.role }),
      });
      if (options.json) return sayJson(made);
      say(made.url);
      note(
        made.is_mailed
          ? `A mail to ${made.email} is on its way. The link is not shown again.`
          : `No mail server is set up: pass the link on to ${made.email}. It is not shown again.`,
      );
    });
  });
}

function removeCommand(members: Command) {
  const command = members
    .command("remove")
    .argument("<id>", "id of the member", uuid)
    .description("take a member out of the org; sessions there and personal tokens end at once");
  example(withRecords(command), "tracedeck members remove 01912d3c-7b1e-7cc0-a111-000000000000");
  command.action(async (id: string, options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      await callJson(client, `/v1/members/${id}`, { method: "DELETE" });
      if (options.json) sayJson({ id, removed: true });
      else say(`${id} removed`);
    });
  });
}

/** Owners are made by owners who are signed in: a key is nobody. */
function knownRole(text: string): Role {
  if (text !== "owner" && Object.hasOwn(ROLES, text)) return text as Role;
  throw new InvalidArgumentError("It must be admin, member or billing.");
}
