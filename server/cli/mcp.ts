import { type Command, Option } from "commander";
import { dataFolder } from "../../store/data-folder.ts";
import { type Config, loadConfig } from "../config.ts";
import { addressOf, readCredentials } from "../identity/orgs.ts";
import { ListenError } from "../listen.ts";
import { runningServer, type Served } from "../main.ts";
import { type ApiClient, isServerAt } from "../platform/api-client.ts";
import { systemClock } from "../platform/clock.ts";
import { LockedError } from "../platform/lock.ts";
import { createBridge, type Message, type Upstream } from "./mcp-bridge.ts";
import { example, httpUrl, uuid, withData } from "./options.ts";
import { CliError, note, say, UsageError } from "./output.ts";
import { serveHere, stopSignal } from "./serve.ts";
import { clientAt, namedServer } from "./server-client.ts";

interface McpOptions {
  data?: string;
  server?: string;
  apiKey?: string;
  org?: string;
}

/** How long a server that is just starting or stopping, or a command that has the folder, is waited for. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 100;

/** `mcp`: the agent server on stdio. Standard output belongs to the protocol; all else goes to standard error. */
export function mcpCommand(program: Command): void {
  const command = program
    .command("mcp")
    .description("the agent server on stdio: coding agents find, explain and replay failures")
    .option("--server <url>", "another server than the one of the data folder", httpUrl)
    .addOption(new Option("--api-key <key>", "key for --server").env("TRACEDECK_KEY"))
    .option("--org <id>", "org that the key is used for (default: its own)", uuid);
  example(
    withData(command),
    "tracedeck mcp",
    "claude mcp add tracedeck -- tracedeck mcp",
    "tracedeck mcp --server https://tracedeck.example.com --api-key product_sk_…",
  );
  command.action(async (options: McpOptions) => {
    if (options.server === undefined && command.getOptionValueSource("apiKey") === "cli")
      throw new UsageError("--api-key goes with --server.");
    const found = options.server === undefined ? localServer(options, program) : otherServer(options);
    try {
      // A folder that cannot be served is told at once, not at the agent's first question.
      if (options.server === undefined) await found.client();
      await speak(found);
    } finally {
      await found.close();
    }
  });
}

interface Found extends Upstream {
  close(): Promise<void>;
}

/**
 * Speaks until standard input ends or the process is told to stop. What was asked before the input ended is answered, so
 * that messages can be piped in; a client that goes for good sends a signal when that takes too long (MCP, lifecycle).
 */
async function speak(upstream: Upstream): Promise<void> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const transport = new StdioServerTransport();
  // Not by the transport, which sends nothing once its input has ended.
  const bridge = createBridge(upstream, (message) => say(JSON.stringify(message)));
  const closed = Promise.withResolvers<void>();
  transport.onmessage = (message) => void bridge.take(message as Message);
  transport.onerror = () => note("A line on standard input is no JSON-RPC message and was left aside.");
  transport.onclose = closed.resolve;
  await transport.start();
  const stopped = stopSignal();
  await Promise.race([closed.promise, stopped]);
  const done = new AbortController();
  await Promise.race([bridge.idle(), stopped, systemClock.sleep(PATIENCE_MS, done.signal)]);
  done.abort();
  bridge.close();
  await transport.close();
}

function otherServer({ server, apiKey, org }: McpOptions): Found {
  if (apiKey === undefined)
    throw new UsageError("--server needs --api-key (or TRACEDECK_KEY): a key with the scope mcp:read.");
  const named = namedServer({ server, apiKey }, "the scope mcp:read")!;
  const client = clientAt({ ...named, ...(org === undefined ? {} : { orgId: org }) });
  return { client: async () => client, lost: () => {}, close: async () => {} };
}

/**
 * The server of the data folder. Where none runs this process becomes it, so that the links in answers open, and other
 * agents and commands use it too; when the one that was found ends, the next message looks anew.
 */
function localServer({ data, org }: McpOptions, program: Command): Found {
  const config = loadConfig({ data });
  let served: Served | null = null;
  let client: Promise<ApiClient> | null = null;

  async function find(): Promise<ApiClient> {
    const end = systemClock.monotonic() + PATIENCE_MS;
    for (;;) {
      const holder = runningServer(config.dataDir);
      if (holder?.url && (await isServerAt(holder.url))) return clientOf(config, holder.url, org);
      if (!holder) {
        served = await becomeServer(data, program);
        if (served) return clientOf(config, addressOf(config.host, served.port), org);
      }
      if (systemClock.monotonic() > end)
        throw new CliError(
          `Process ${holder?.pid ?? ""} keeps ${config.dataDir} to itself, and does not answer.`,
        );
      await systemClock.sleep(LOOK_MS);
    }
  }

  return {
    client() {
      client ??= find();
      client.catch(() => {
        client = null;
      });
      return client;
    },
    lost() {
      client = null;
    },
    close: async () => served?.close(),
  };
}

/** Null when another process was quicker. */
async function becomeServer(data: string | undefined, program: Command): Promise<Served | null> {
  for (const port of [undefined, "0"])
    try {
      return await serveHere(loadConfig({ data, port }), program);
    } catch (error) {
      if (error instanceof LockedError) return null;
      // The usual port may be another program's: links then name a free one.
      if (!(error instanceof ListenError) || port !== undefined) throw error;
    }
  return null;
}

function clientOf(config: Config, url: string, org: string | undefined): ApiClient {
  const path = dataFolder(config.dataDir).credentials;
  const credentials = readCredentials(path);
  if (!credentials) throw new CliError(`${path} is missing or damaged.`);
  return clientAt({ url, apiKey: credentials.api_key, ...(org === undefined ? {} : { orgId: org }) });
}
