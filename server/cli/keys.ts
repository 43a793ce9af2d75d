import { type Command, InvalidArgumentError } from "commander";
import { SCOPES } from "../identity/scopes.ts";
import { createSigninLink } from "../identity/sessions/service.ts";
import { callJson } from "./call.ts";
import { type CommonOptions, example, isoTime, uuid, withRecords } from "./options.ts";
import { note, say, sayJson, table } from "./output.ts";
import { withSession } from "./session.ts";

interface Key {
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  expires_at: string | null;
  last_used_at: string | null;
}

/** `keys create|list|revoke`, `signin`. */
export function identityCommands(program: Command): void {
  const keys = program.command("keys").description("API keys");
  example(keys, "tracedeck keys list");
  createCommand(keys);
  listCommand(keys);
  revokeCommand(keys);
  signinCommand(program);
}

function createCommand(keys: Command) {
  const command = keys
    .command("create")
    .description("make a key; it is shown once")
    .requiredOption("--name <name>", "what the key is for")
    .option("--scopes <scopes>", "comma-separated", knownScopes, ["traces:read", "traces:write"])
    .option("--expires <time>", "refused from this time on (ISO 8601)", isoTime);
  example(withRecords(command), "tracedeck keys create --name ci --scopes traces:write --expires 2031-01-01");
  command.action(async (options: CommonOptions & { name: string; scopes: string[]; expires?: string }) => {
    await withSession(options, async ({ client }) => {
      const key = await callJson<Key & { key: string }>(client, "/v1/api-keys", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          name: options.name,
          scopes: options.scopes,
          ...(options.expires ? { expires_at: options.expires } : {}),
        }),
      });
      if (options.json) return sayJson(key);
      say(key.key);
      note(`Key ${key.id} with ${key.scopes.join(", ")}. It is not shown again.`);
    });
  });
}

function knownScopes(text: string): string[] {
  const scopes = [...new Set(text.split(",").map((scope) => scope.trim()))];
  if (scopes.every((scope) => (SCOPES as readonly string[]).includes(scope))) return scopes;
  throw new InvalidArgumentError(`It must be some of the scopes ${SCOPES.join(", ")}.`);
}

function listCommand(keys: Command) {
  const command = keys.command("list").description("keys that were not revoked, newest first");
  example(withRecords(command), "tracedeck keys list");
  command.action(async (options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      const list = await callJson<{ items: Key[] }>(client, "/v1/api-keys?limit=200");
      if (options.json) return sayJson(list);
      table(
        ["id", "name", "prefix", "last used", "expires", "scopes"],
        list.items.map((key) => [
          key.id,
          key.name,
          key.prefix,
          key.last_used_at ?? "never",
          key.expires_at ?? "never",
          key.scopes.join(","),
        ]),
      );
    });
  });
}

function revokeCommand(keys: Command) {
  const command = keys
    .command("revoke")
    .argument("<id>", "id of the key", uuid)
    .description("end a key at once");
  example(withRecords(command), "tracedeck keys revoke 01912d3c-7b1e-7cc0-a111-000000000000");
  command.action(async (id: string, options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      await callJson(client, `/v1/api-keys/${encodeURIComponent(id)}`, { method: "DELETE" });
      if (options.json) sayJson({ id, revoked: true });
      else say(`${id} revoked`);
    });
  });
}

function signinCommand(program: Command) {
  const command = program.command("signin").description("a new one-time link that signs the owner in");
  example(withRecords(command), "tracedeck signin");
  command.action(async (options: CommonOptions) => {
    await withSession(options, async ({ serverUrl, orgId, config, store, clock, ids }) => {
      const base = config.publicUrl ?? serverUrl ?? `http://localhost:${config.port}`;
      const link = await createSigninLink({ store, clock, ids }, { orgId, base });
      if (options.json) return sayJson(link);
      say(link.url);
      if (!serverUrl)
        note("No server is running on this data folder: start `tracedeck serve` to use the link.");
    });
  });
}
