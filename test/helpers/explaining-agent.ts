import type { Client } from "@modelcontextprotocol/client";
import { callTool } from "./agents.ts";

/** What it took an agent to learn why a run failed. */
export interface Explained {
  isTold: boolean;
  /** The tools that it called, in order. */
  calls: string[];
  /** Of all answers, cautiously: 3.5 bytes each, and whatever stands both structured and as text counted twice. */
  tokens: number;
}

const BYTES_PER_TOKEN = 3.5;
const MOST_CALLS = 3;
/** How it goes on where the first answer does not tell: closer to the step, then all that there is. */
const THEN = ["get_step", "product_debug_run"];

/** The tool whose description, among all that an agent reads, says to begin with it. */
export async function firstTool(client: Client): Promise<string> {
  const { tools } = await client.listTools();
  const first = tools.find(({ description }) => /call this first/i.test(description ?? ""));
  if (!first) throw new Error("No tool says that it is to be called first.");
  return first.name;
}

/**
 * An agent that has nothing but what somebody pasted (`reference`) and the descriptions of the tools: it begins with `first`
 * and goes on until an answer tells the cause.
 */
export async function explainByAgent(
  client: Client,
  { first, reference }: { first: string; reference: string },
  isTold: (text: string) => boolean,
): Promise<Explained> {
  const calls: string[] = [];
  let bytes = 0;
  for (const name of [first, ...THEN].slice(0, MOST_CALLS)) {
    const { text, bytes: more } = await callTool(client, name, { trace_id: reference });
    calls.push(name);
    bytes += more;
    if (isTold(text)) return { isTold: true, calls, tokens: tokensOf(bytes) };
  }
  return { isTold: false, calls, tokens: tokensOf(bytes) };
}

const tokensOf = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);
