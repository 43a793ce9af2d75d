import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { tells } from "../../fixtures/failures/seed.ts";
import { newClient } from "../helpers/agents.ts";
import { explainByAgent, firstTool } from "../helpers/explaining-agent.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";
import type { Told } from "./cause-told.ts";
import type { Server } from "./served.ts";

const FULL = { rounds: 300 };
const SMALL: typeof FULL = { rounds: 5 };
/** What an agent waits for without noticing. */
const MOST_MS = 20;
const MOST_RATIO = 30;
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** What an agent may spend on a failure. */
const MOST_TOKENS = 4_000;
const LEAST_EXPLAINED = 0.9;

/** How often an agent learns the cause of a failure, and what it waits for, against a bare server with the same answer. */
export async function agentResults(
  server: Server,
  told: readonly Told[],
  { isSmall = false }: BenchOptions,
): Promise<BenchResult[]> {
  const { rounds } = isSmall ? SMALL : FULL;
  return [await compare(server, told[0]!.id, rounds), await explain(server, told)];
}

async function compare(server: Server, id: string, rounds: number): Promise<BenchResult> {
  const params = { name: "get_cause", arguments: { trace_id: id }, _meta: META };
  const init = {
    method: "POST",
    headers: {
      ...HEADERS,
      authorization: `Bearer ${server.apiKey}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "get_cause",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
  const ask = async (url: string) => {
    const began = performance.now();
    const text = await (await fetch(url, init)).text();
    return { took: performance.now() - began, text };
  };
  // The first call loads what only agents need.
  const { text } = await ask(`${server.url}/mcp`);
  if (!text.includes('"headline"')) throw new Error(`get_cause answered ${text.slice(0, 200)}`);
  const bare = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      await request.json();
      return new Response(text, { headers: { "content-type": "application/json" } });
    },
  });
  try {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push((await ask(`${server.url}/mcp`)).took);
      theirs.push((await ask(bare.url.href)).took);
    }
    const [a, b] = [median(ours), median(theirs)];
    return {
      name: "get_cause for an agent, against a bare server with the same answer",
      ratio: a / b,
      target: `≤ ${MOST_RATIO}, and under ${MOST_MS} ms`,
      ok: a / b <= MOST_RATIO && a < MOST_MS,
      detail: `${a.toFixed(2)} ms against ${b.toFixed(2)} ms, medians of ${rounds}; ${Buffer.byteLength(text)} bytes`,
    };
  } finally {
    await bare.stop(true);
  }
}

/** Each seeded failure, of which an agent has the id alone. */
async function explain(server: Server, told: readonly Told[]): Promise<BenchResult> {
  const client = newClient("2026-07-28");
  const requestInit = { headers: { authorization: `Bearer ${server.apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  const first = await firstTool(client);
  const tokens: number[] = [];
  for (const { seed, id } of told) {
    const explained = await explainByAgent(client, { first, reference: id }, (text) =>
      tells(text, seed.truth),
    );
    if (explained.isTold && explained.tokens <= MOST_TOKENS) tokens.push(explained.tokens);
    else
      console.error(`  not explained: ${seed.id}, ${explained.calls.join(", ")}, ${explained.tokens} tokens`);
  }
  await client.close();
  const share = tokens.length / told.length;
  return {
    name: "seeded failures that an agent explains in 3 calls and 4,000 tokens",
    ratio: share,
    isShare: true,
    target: `≥ ${LEAST_EXPLAINED}`,
    ok: share >= LEAST_EXPLAINED,
    detail: `${tokens.length} of ${told.length}, with ${tokens.length > 0 ? median(tokens) : 0} tokens by the median`,
  };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;
