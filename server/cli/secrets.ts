import { type Command, InvalidArgumentError } from "commander";
import { SECRET_NAME } from "../../store/settings-schema.ts";
import { AN_ORIGIN, webOrigin } from "../../store/web-origin.ts";
import { MAX_VALUE_BYTES, type SecretView } from "../identity/secrets/model.ts";
import { callJson } from "./call.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { CliError, note, say, sayJson, table, UsageError } from "./output.ts";
import { withSession } from "./session.ts";

/** `secrets list|set|rm`. */
export function secretsCommands(program: Command): void {
  const secrets = program.command("secrets").description("what scenarios call ${secrets.NAME}");
  example(secrets, "tracedeck secrets list");
  listCommand(secrets);
  setCommand(secrets);
  removeCommand(secrets);
}

function listCommand(secrets: Command) {
  const command = secrets
    .command("list")
    .description("names, where they may go, and what gives them their value");
  example(withRecords(command), "tracedeck secrets list");
  command.action(async (options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      const list = await callJson<{ items: SecretView[] }>(client, "/v1/secrets");
      if (options.json) return sayJson(list);
      table(
        ["name", "from", "updated", "may go to"],
        list.items.map(({ name, source, updated_at, origins }) => [
          name,
          FROM[source],
          updated_at ?? "",
          origins?.join(" ") ?? "everywhere",
        ]),
      );
    });
  });
}

const FROM: Record<SecretView["source"], string> = {
  api: "this store",
  settings: "settings.json",
  environment: "environment",
};

function setCommand(secrets: Command) {
  const command = secrets
    .command("set")
    .argument("<name>", "letters, digits and _", secretName)
    .description(
      "keep a secret, or replace it whole; the value comes from standard input, less one line break at its end",
    )
    .option(
      "--origin <origin>",
      "the only place that it may go to, like https://shop.example; may stand several times",
      addOrigin,
    );
  example(
    withRecords(command),
    "tracedeck secrets set SHOP_PASSWORD --origin https://shop.example < password.txt",
  );
  command.action(async (name: string, options: CommonOptions & { origin?: string[] }) => {
    const value = await readValue();
    await withSession(options, async ({ client }) => {
      const secret = await callJson<SecretView>(client, `/v1/secrets/${name}`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ value, ...(options.origin && { origins: options.origin }) }),
      });
      if (options.json) return sayJson(secret);
      say(`${name} is kept`);
      note(
        `It may go to ${secret.origins?.join(", ") ?? "every address: --origin names those that it may go to"}.`,
      );
    });
  });
}

function removeCommand(secrets: Command) {
  const command = secrets
    .command("rm")
    .argument("<name>", "name of the secret", secretName)
    .description("remove a secret");
  example(withRecords(command), "tracedeck secrets rm SHOP_PASSWORD");
  command.action(async (name: string, options: CommonOptions) => {
    await withSession(options, async ({ client }) => {
      await callJson(client, `/v1/secrets/${name}`, { method: "DELETE" });
      if (options.json) sayJson({ name, removed: true });
      else say(`${name} removed`);
    });
  });
}

/** What stands in a command line can be read by every process of the machine, so the value does not. */
async function readValue(): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError("The value comes from standard input: tracedeck secrets set NAME < file.");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_VALUE_BYTES + 2) throw new CliError(`A value has at most ${MAX_VALUE_BYTES} bytes.`);
  }
  const value = decode(Buffer.concat(chunks)).replace(/\r?\n$/, "");
  if (value === "") throw new UsageError("Standard input held no value.");
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CliError("The value is not text in UTF-8.");
  }
}

function secretName(text: string): string {
  if (new RegExp(SECRET_NAME).test(text)) return text;
  throw new InvalidArgumentError(
    "A name begins with a letter or _ and has letters, digits and _, at most 64. The value comes from standard input.",
  );
}

function addOrigin(text: string, origins: string[] = []): string[] {
  const origin = webOrigin(text);
  if (origin === null) throw new InvalidArgumentError(`It must be ${AN_ORIGIN}.`);
  return [...origins, origin];
}
