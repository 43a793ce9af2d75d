import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Background, requireProgram, startInBackground } from "./packages.ts";

export interface Database {
  /** Runs its command line client. @throws with what the client said */
  client(args: string[], input?: string): Promise<string>;
  stop(): Promise<void>;
}

/** An empty Redis that keeps nothing. `folder` is one that does not exist yet. */
export async function startRedis(folder: string): Promise<Database> {
  const socket = join(folder, "redis.sock");
  mkdirSync(folder);
  const server = startInBackground([
    requireProgram("redis-server"),
    ...["--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", folder],
  ]);
  const cli = requireProgram("redis-cli");
  return reachable(server, (args, input) => run([cli, "-s", socket, ...args], input), ["ping"]);
}

/** An empty MariaDB with a database `app`. `folder` is one that does not exist yet. */
export async function startMariaDb(folder: string): Promise<Database> {
  const socket = join(folder, "mariadb.sock");
  mkdirSync(folder);
  const data = `--datadir=${join(folder, "data")}`;
  // It refuses to run as root by mistake.
  const user = process.getuid?.() === 0 ? ["--user=root"] : [];
  await run([
    requireProgram("mariadb-install-db"),
    ...["--no-defaults", data, ...user, "--skip-test-db", "--auth-root-authentication-method=normal"],
  ]);
  const server = startInBackground([
    requireProgram("mariadbd"),
    ...["--no-defaults", data, ...user, `--socket=${socket}`, `--pid-file=${join(folder, "pid")}`],
    ...["--skip-networking", "--event-scheduler=ON", "--innodb-flush-log-at-trx-commit=0"],
  ]);
  const cli = requireProgram("mariadb");
  const ask = (database: string[]) => (args: string[], input?: string) =>
    run([cli, "--no-defaults", "-uroot", `--socket=${socket}`, "--batch", "-N", ...args, ...database], input);
  const { stop } = await reachable(server, ask([]), ["-e", "create database app"]);
  return { client: ask(["app"]), stop };
}

/** Asks until it answers. @throws what a server said that ended */
async function reachable(server: Background, client: Database["client"], args: string[]): Promise<Database> {
  for (;;) {
    const isThere = await client(args).then(
      () => true,
      () => false,
    );
    if (isThere) return { client, stop: server.stop };
    if (server.exitCode !== null) throw new Error(`It ended: ${await server.said()}`);
    await Bun.sleep(50);
  }
}

async function run(command: string[], input = ""): Promise<string> {
  const child = Bun.spawn(command, { stdio: [Buffer.from(input), "pipe", "pipe"] });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${err.trim() || out.trim()}`);
  return out.trim();
}
