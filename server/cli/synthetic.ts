import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { writeFileAtomic } from "../platform/files.ts";
import { DATABASES, type SyntheticDatabase, syntheticFiles } from "../run/synthetic/templates.ts";
import { example, withData } from "./options.ts";
import { CliError, printable, say, tone } from "./output.ts";

interface InitOptions {
  db?: SyntheticDatabase[];
  out: string;
  force?: boolean;
}

/** `synthetic init`: what a product needs so that runs cost nothing and count nowhere. */
export function syntheticCommands(program: Command): void {
  const synthetic = program
    .command("synthetic")
    .description("keep the users of runs apart from real ones in your product");
  example(synthetic, "tracedeck synthetic init --db postgres --db redis");
  const command = synthetic
    .command("init")
    .description("write the middleware and the nightly clean-up of databases")
    .option("--db <database>", `${DATABASES.join(", ")}; may be repeated (default: all)`, database)
    .option("--out <dir>", "folder to write into", "synthetic")
    .option("--force", "write over files that are there");
  example(withData(command), "tracedeck synthetic init --db postgres --out ops/synthetic");
  command.action(async ({ db = [...DATABASES], out, force }: InitOptions) => {
    const files = Object.entries(syntheticFiles(db));
    const there = files.find(([name]) => existsSync(resolve(out, name)));
    if (there && !force)
      throw new CliError(`${join(out, there[0])} is there already: name another --out, or --force.`);
    await mkdir(out, { recursive: true });
    for (const [name, text] of files) {
      writeFileAtomic(resolve(out, name), text, { mode: 0o644 });
      say(`${tone("wrote", "good")} ${printable(join(out, name))}`);
    }
  });
}

function database(text: string, before: SyntheticDatabase[] = []): SyntheticDatabase[] {
  const found = text.split(",").map((part) => DATABASES.find((one) => one === part.trim()));
  if (found.some((one) => one === undefined))
    throw new InvalidArgumentError(`It must be one of ${DATABASES.join(", ")}.`);
  return [...new Set([...before, ...(found as SyntheticDatabase[])])];
}
