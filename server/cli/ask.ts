import type { Command } from "commander";
import { createParser } from "eventsource-parser";
import type { ChatDetail, ToolCall } from "../trace/chats/model.ts";
import { callJson, callWith } from "./call.ts";
import { type CommonOptions, example, uuid, withRecords } from "./options.ts";
import { CliError, note, printable, say, sayJson, tone } from "./output.ts";
import { withSession } from "./session.ts";

interface AskOptions extends CommonOptions {
  chat?: string;
}

/** `ask <id> <question>`: a question about a trace, answered as the chat beside it answers. */
export function askCommand(program: Command): void {
  const command = program
    .command("ask")
    .argument("<id>", "trace id, short id or link")
    .argument("<question...>", "what you want to know")
    .option("--chat <id>", "go on with a chat, as the answer before named it", uuid)
    .description("ask about a trace: why it failed, since when, what differs, what to change");
  example(
    withRecords(command),
    'tracedeck ask 7Kd2mQx9PbTz "why did it fail?"',
    'tracedeck ask 7Kd2mQx9PbTz "which requests failed?"',
  );
  command.action(async (id: string, words: string[], options: AskOptions) => {
    await withSession(options, async ({ client, traceId }) => {
      const trace = await traceId(id);
      const post = (body: object) => ({
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const chat =
        options.chat ?? (await callJson<ChatDetail>(client, `/v1/traces/${trace}/chats`, post({}))).id;
      const response = await callWith(() =>
        client.request(`/v1/chats/${chat}/messages`, post({ content: words.join(" ") })),
      );
      await hear(response, options.json === true);
      if (options.json) {
        const { messages } = await callJson<ChatDetail>(client, `/v1/chats/${chat}`);
        return sayJson({ chat_id: chat, ...messages.at(-1) });
      }
      note(`Go on with: tracedeck ask ${id} --chat ${chat} "…"`);
    });
  });
}

/** Prints an answer line by line as it comes. @throws CliError when it breaks off */
async function hear(response: Response, isQuiet: boolean): Promise<void> {
  let line = "";
  let failure: { error: string; message: string } | null = null;
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === "error") failure = JSON.parse(data) as { error: string; message: string };
      if (isQuiet) return;
      if (event === "tool_call") note(lookLine(JSON.parse(data) as ToolCall));
      if (event !== "token") return;
      const lines = (line + (JSON.parse(data) as { text: string }).text).split("\n");
      line = lines.pop()!;
      for (const whole of lines) say(readable(whole));
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
  if (line !== "") say(readable(line));
  const broke = failure as { error: string; message: string } | null;
  if (broke) throw new CliError(broke.message, broke.error);
}

const lookLine = ({ name, arguments: given, ok }: ToolCall): string =>
  tone(printable(`looked: ${name} ${JSON.stringify(given)}${ok ? "" : " (in vain)"}`), "weak");

/** A line of markdown for a terminal: links are their words, headings are lines, escapes are what they escape. */
const readable = (line: string): string =>
  printable(line)
    .replace(/^#{1,6} /, "")
    .replace(/(?<!\\)\[((?:\\.|[^[\]\\])*)\]\((?:step|event|moment):\d+\)/g, "$1")
    .replace(/\*\*/g, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");
