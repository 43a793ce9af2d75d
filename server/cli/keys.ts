import { type Command, InvalidArgumentError, Option } from "commander";
import { KEY_KINDS } from "../identity/keys/model.ts";
import { SCOPES } from "../identity/scopes.ts";
import { createSigninLink } from "../identity/sessions/service.ts";
import { callJson } from "./call.ts";
import { type CommonOptions, example, oneOf, timeAhead, uuid, withRecords } from "./options.ts";
import { note, say, sayJson, table } from "./output.ts";
import { withSession } from "./session.ts";

interface Key {
  id: string;
  kind: string;
  name: string;
  status: string;
  prefix: string;
  scopes: string[];
  expires_at: string | null;
  last_used_at: string | null;
}

/** `keys create|list|revoke`, `signin`. */
export function identityCommands(program: Command): void {
  const keys = program.command("keys").description("API keys and tokens");
  example(keys, "tracedeck keys list");
  createCommand(keys);
  listCommand(keys);
  revokeCommand(keys);
  signinCommand(program);
}

function createCommand(keys: Command) {
  const command = keys
    .command("create")
    .description("make a key or token; it is shown once")
    .requiredOption("--name <name>", "what the key is for")
    .option(
      "--kind <kind>",
      "sk, an API key of the org; svc, a service token of the org; pat, a personal access token of the owner",
      oneOf(...KEY_KINDS),
      "sk",
    )
    .option("--scopes <scopes>", "comma-separated", knownScopes, ["traces:read", "traces:write"])
    .addOption(
      new Option("--scim", "for a directory that provisions people: the scope scim:manage alone")
        .conflicts("scopes")
        .implies({ name: "directory" }),
    )
    .option("--expires <time>", "refused from then on: 12h, 90d, 4w, or an ISO 8601 time", timeAhead);
  example(
    withRecords(command),
    "tracedeck keys create --name ci --scopes traces:write --expires 2031-01-01",
    "tracedeck keys create --kind pat --name laptop --scopes traces:read,mcp:read --expires 90d",
  );
  interface CreateOptions extends CommonOptions {
    name: string;
    kind: string;
    scopes: string[];
    scim?: true;
    expires?: string;
  }
  command.action(async (options: CreateOptions) => {
    await withSession(options, async ({ client }) => {
      const key = await callJson<Key & { key: string }>(client, "/v1/api-keys", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          kind: options.kind,
          name: options.name,
          scopes: options.scim ? ["scim:manage"] : options.scopes,
          ...(options.expires ? { expires_at: options.expires } : {}),
        }),
      });
      if (options.json) return sayJson(key);
      say(key.key);
      const end = key.expires_at ? `, until ${key.expires_at}` : "";
      note(`Key ${key.id} with ${key.scopes.join(", ")}${end}. It is not shown again.`);
    });
  });
}

function knownScopes(text: string): string[] {
  const scopes = [...new Set(text.split(",").map((scope) => scope.trim()))];
  if (scopes.every((scope) => (SCOPES as readonly string[]).includes(scope))) return scopes;
  throw new InvalidArgumentError(`It must be some of the scopes ${SCOPES.join(", ")}.`);
}

function listCommand(keys: Command) {
  const command = keys
    .command("list")
    .description("keys and tokens that were not revoked, newest first")
    .option("--kind <kind>", "only sk, svc or pat", oneOf(...KEY_KINDS));
  example(withRecords(command), "tracedeck keys list --kind svc");
  command.action(async (options: CommonOptions & { kind?: string }) => {
    await withSession(options, async ({ client }) => {
      const kind = options.kind ? `&kind=${options.kind}` : "";
      const list = await callJson<{ items: Key[] }>(client, `/v1/api-keys?limit=200${kind}`);
      if (options.json) return sayJson(list);
      table(
        ["id", "kind", "name", "prefix", "last used", "expires", "scopes"],
        list.items.map((key) => [
          key.id,
          key.status === "unverified" ? `${key.kind}, unverified` : key.kind,
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
    .description("end a key or token at once");
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
