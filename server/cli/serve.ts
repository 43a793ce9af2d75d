import type { Command } from "commander";
import { type Config, loadConfig } from "../config.ts";
import { createSigninLink } from "../identity/sessions/service.ts";
import { type Served, serve } from "../main.ts";
import { takeFaults } from "../platform/faults.ts";
import { openInBrowser, readTerminal } from "../platform/terminal.ts";
import { describeCommands } from "./describe.ts";
import { type CommonOptions, example, withData } from "./options.ts";
import { note, say, tone } from "./output.ts";

interface ServeOptions extends CommonOptions {
  host?: string;
  port?: string;
  publicUrl?: string;
  trustOrgHeader?: boolean;
  trustProxy?: boolean;
  logLevel?: string;
  open: boolean;
}

/** `serve`: the server. */
export function serveCommand(program: Command): void {
  const command = program
    .command("serve")
    .description("start the server")
    .option("--host <host>", "address to listen on (default: 127.0.0.1)")
    .option("--port <port>", "port to listen on, 0 for any free one (default: 4173)")
    .option("--public-url <url>", "address under which others reach it")
    .option("--trust-org-header", "let x-product-org alone identify a caller; loopback only")
    .option(
      "--trust-proxy",
      "all requests come by one reverse proxy: the last address in X-Forwarded-For is the client's",
    )
    .option("--log-level <level>", "debug, info, warn, error")
    .option("--no-open", "do not open a browser window");
  example(withData(command), "tracedeck serve --port 8080 --data ./traces");
  command.action(async (options: ServeOptions) => {
    const served = await serveHere(loadConfig(options), program);
    const stop = stopSignal();
    announce(served, { mayOpen: options.open });
    await untilStopped(served, stop);
  });
}

/** Serves in this process. What goes wrong behind its back is told in its log, and is no reason to leave everybody else. */
export async function serveHere(config: Config, program: Command): Promise<Served> {
  const served = await serve(config, {
    commands: async () => describeCommands(program),
    tellOperator: say,
  });
  const { log } = served.runtime.deps;
  takeFaults((error) => log.error("An error came that nothing waited for", { error }));
  return served;
}

/** Says where the server is, and opens its page where a person sits in front of it. */
export function announce(served: Served, options: { mayOpen: boolean; signinUrl?: string }): void {
  const link = options.signinUrl ?? served.signinUrl;
  say(`Tracedeck is at ${tone(served.url, "strong")}`);
  say(`Sign in, once within 10 minutes: ${link}`);
  if (options.mayOpen && readTerminal().hasDesktop) void openInBrowser(link);
}

/** Another one-time link, leading to a page. */
export async function linkTo(served: Served, next: string): Promise<string> {
  const { deps, credentials } = served.runtime;
  const link = await createSigninLink(deps, { orgId: credentials.org_id, base: served.url, next });
  return link.url;
}

/** Resolves at SIGINT or SIGTERM; a second one ends the process at once. Call it before the server is announced. */
export function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      resolve();
    });
  }
  return promise;
}

/** Serves until it is told to stop, then stops in order. */
export async function untilStopped(served: Pick<Served, "close">, stop: Promise<void>): Promise<void> {
  await stop;
  note("Stopping.");
  await served.close();
}
