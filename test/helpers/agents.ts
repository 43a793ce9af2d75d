import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { TestApp } from "./app.ts";
import { uploadForm } from "./bundles.ts";

/** The revisions of the protocol that are spoken at `/mcp`. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];

const NEGOTIATE = {
  "2025-11-25": { mode: "legacy" },
  "2026-07-28": { mode: { pin: "2026-07-28" } },
} as const;

/** The official client on the app itself, without a socket. */
export async function connectAgent(
  t: TestApp,
  { apiKey = t.apiKey, revision = "2025-11-25" as Revision } = {},
): Promise<Client> {
  const client = newClient(revision);
  const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
    fetch: (url, init) => {
      const { pathname, search } = new URL(url);
      return t.api(pathname + search, init as RequestInit);
    },
  });
  await client.connect(transport);
  return client;
}

export const newClient = (revision: Revision): Client =>
  new Client({ name: "test", version: "1" }, { versionNegotiation: NEGOTIATE[revision] });

export interface Called<Answer> {
  answer: Answer;
  text: string;
  isError: boolean;
  /** Of the whole result, as it goes over the wire. */
  bytes: number;
}

/** Calls a tool. `answer` is what it structured; of an error there is only `text`. */
export async function callTool<Answer = Record<string, unknown>>(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Called<Answer>> {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content as { type: string; text: string }[];
  return {
    answer: result.structuredContent as Answer,
    text: content?.text ?? "",
    isError: result.isError === true,
    bytes: Buffer.byteLength(JSON.stringify(result)),
  };
}

/** Uploads an archive of the fixtures and processes it. */
export async function uploadArchive(
  t: TestApp,
  name: string,
  slug: string,
): Promise<{ id: string; shortId: string }> {
  const bytes = await Bun.file(`${import.meta.dir}/../../fixtures/playwright/${name}/trace.zip`).bytes();
  const body = uploadForm(Buffer.from(bytes), { scenario_slug: slug });
  const response = await t.api("/v1/traces/ingest", { method: "POST", body });
  if (response.status !== 200) throw new Error(await response.text());
  const { trace_id: id, short_id: shortId } = (await response.json()) as {
    trace_id: string;
    short_id: string;
  };
  await t.runJobs();
  return { id, shortId };
}

/** A key of the test's org with these scopes only. */
export async function keyWith(t: TestApp, scopes: string[]): Promise<string> {
  const response = await t.api("/v1/api-keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "agent", scopes }),
  });
  const { key } = (await response.json()) as { key: string };
  return key;
}
