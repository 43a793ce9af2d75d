import { type ApiClient, createApiClient } from "../platform/api-client.ts";
import { CliError, UsageError } from "./output.ts";

/** What `--server` and `--api-key` say. */
interface Named {
  server?: string;
  apiKey?: string;
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EPROTO: "it does not speak TLS there, or in another way",
};

/**
 * The server that the options name, with its key; null where they name none.
 * @param scopes what its key must be allowed to do, as it is told
 * @throws UsageError when one goes without the other, or the key is empty
 */
export function namedServer(
  { server, apiKey }: Named,
  scopes: string,
): { url: string; apiKey: string } | null {
  if (server === undefined && apiKey === undefined) return null;
  if (server === undefined) throw new UsageError("--api-key goes with --server.");
  if (apiKey === undefined)
    throw new UsageError(`--server needs --api-key: a key with ${scopes} of that server.`);
  if (apiKey.trim() === "")
    throw new UsageError(
      `--api-key is empty: it must be a key with ${scopes}. A CI that keeps it as a secret leaves it empty where the secret is not set, and in pull requests of forks.`,
    );
  return { url: server, apiKey };
}

/** A client of a server that says which address it was when nothing answers there. @throws CliError `unavailable` */
export function clientAt(options: Parameters<typeof createApiClient>[0]): ApiClient {
  const client = createApiClient(options);
  return {
    async request(path, init = {}) {
      try {
        return await client.request(path, init);
      } catch (error) {
        if (init.signal?.aborted) throw error;
        throw new CliError(
          `The server at ${new URL(options.url).origin} cannot be reached: ${describe(error)}.`,
          "unavailable",
          null,
          { cause: error },
        );
      }
    },
  };
}

/** Whether a request of such a client failed before anybody can have taken it: no connection came about. */
export function wasNeverTaken(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return code === "ECONNREFUSED" || code === "ENOTFOUND";
}

function describe(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && WORDS[code]) return WORDS[code];
  return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
}
