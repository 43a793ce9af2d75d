import type { Command } from "commander";
import { listOrgs } from "../../store/records/identity.ts";
import { createOrg } from "../identity/orgs.ts";
import { toIso } from "../platform/clock.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { note, say, sayJson, table } from "./output.ts";
import { withSession } from "./session.ts";

/** `orgs create|list`: of the data folder, whoever they belong to. */
export function orgsCommands(program: Command): void {
  const orgs = program.command("orgs").description("organisations");
  example(orgs, "tracedeck orgs create other-team");
  createCommand(orgs);
  listCommand(orgs);
}

function createCommand(orgs: Command) {
  const command = orgs
    .command("create")
    .argument("<slug>", "lower-case letters, digits and -")
    .description("make an org with an owner and a key that carries every scope");
  example(withRecords(command), "tracedeck orgs create other-team --json");
  command.action(async (slug: string, options: CommonOptions) => {
    await withSession(options, async ({ store, clock, ids }) => {
      const org = await createOrg({ store, clock, ids }, slug);
      if (options.json) return sayJson(org);
      say(org.api_key);
      note(`Org ${org.org_id}. The key is not shown again.`);
    });
  });
}

function listCommand(orgs: Command) {
  const command = orgs.command("list").description("every org of the data folder, the first one first");
  example(withRecords(command), "tracedeck orgs list");
  command.action(async (options: CommonOptions) => {
    await withSession(options, async ({ store }) => {
      const items = (await listOrgs(store.records)).map(({ id, slug, name, created_at }) => ({
        ...{ id, slug, name },
        created_at: toIso(created_at),
      }));
      if (options.json) return sayJson({ items });
      table(
        ["id", "slug", "name", "made"],
        items.map(({ id, slug, name, created_at }) => [id, slug, name, created_at]),
      );
    });
  });
}
