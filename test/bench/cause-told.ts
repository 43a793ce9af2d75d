import { PHASES } from "../../fixtures/failures/apps/front.ts";
import type { Recorded } from "../../fixtures/failures/record.ts";
import { KINDS, type Seed, tells } from "../../fixtures/failures/seed.ts";
import { openPage } from "../helpers/browser.ts";
import { readStream } from "../helpers/chats.ts";
import { ingest, type Server } from "./served.ts";
import { settledText } from "./visible-text.ts";

/** Long for a first screen, on a machine that does other things too. */
const READY_MS = 30_000;

/** Where one failure's cause could be read. */
export interface Told {
  seed: Seed;
  /** The trace of the failure. */
  id: string;
  /** In the headline or the title of the first suspect, which is of a kind that is right. */
  first: boolean;
  /** In any suspect, and the place of the first one that says it. */
  rank: number | null;
  screen: boolean;
  prompt: boolean;
  /** In the built-in analyst's answer to "Why did it fail?". */
  answer: boolean;
  /** In Playwright's own viewer, opened on the same archive. */
  theirs: boolean;
  /** The kind of the first suspect, where another one would be right. */
  wrongKind: string | null;
  /** What was said first instead. */
  said: string;
}

interface Cause {
  headline: string | null;
  suspects: { kind: string; title: string; detail: string | null; confidence: number }[];
}

/** Uploads two passes and the failure of a recorded seed, and reads what is told of it without a click. */
export async function readTold(server: Server, one: Recorded, slug: string): Promise<Told> {
  const { seed, title, archives } = one;
  let id = "";
  for (const phase of PHASES) id = await ingest(server, archives[phase], { slug, title });
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const read = async (path: string): Promise<Response> =>
    fetch(`${server.url}/v1/traces/${id}${path}`, { headers });
  const answer = await read("/cause");
  const cause: Cause | null = answer.ok ? await answer.json() : null;
  const answered = await answerTo(server, id, "Why did it fail?");
  const prompt = await (await read("/prompt.md")).text();
  const { playwright_viewer_url: viewer } = (await (await read("")).json()) as {
    playwright_viewer_url?: string;
  };
  const [first] = cause?.suspects ?? [];
  const rank = (cause?.suspects ?? []).findIndex((one) =>
    tells(`${one.title} ${one.detail ?? ""}`, seed.truth),
  );
  const [screen, theirs] = await Promise.all([
    textOf(server, `${server.url}/traces/${id}`, '[role="treeitem"]'),
    viewer === undefined ? "" : textOf(server, viewer, ".action-title"),
  ]);
  const wrongKind = first && !isOfKind(first, seed) ? first.kind : null;
  return {
    seed,
    id,
    first: cause !== null && isToldFirst(cause, seed),
    rank: rank < 0 ? null : rank + 1,
    screen: tells(screen, seed.truth),
    prompt: tells(prompt, seed.truth),
    answer: tells(answered, seed.truth),
    theirs: tells(theirs, seed.truth),
    wrongKind,
    said: cause ? saidOf(cause) : `/cause answered ${answer.status}`,
  };
}

/** What a chat about a trace answers, as a person reads it: without links and escapes. */
export async function answerTo(
  server: Pick<Server, "url" | "apiKey">,
  id: string,
  content: string,
): Promise<string> {
  const post = (path: string, body: object) =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const chat = (await (await post(`/v1/traces/${id}/chats`, {})).json()) as { id: string };
  const heard = readStream(await (await post(`/v1/chats/${chat.id}/messages`, { content })).text());
  return heard
    .map(({ event, data }) => (event === "token" ? String(data.text) : ""))
    .join("")
    .replace(/\[((?:\\.|[^\]\\])*)\]\((?:step|event|moment):\d+\)/g, "$1")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");
}

const isOfKind = ({ kind }: { kind: string }, { class: of }: Seed) => (KINDS[of] as string[]).includes(kind);

/** Whether the headline or the first suspect's title says what is true, and its kind is one that is right. */
export function isToldFirst({ headline, suspects: [first] }: Cause, seed: Seed): boolean {
  return (
    first !== undefined && isOfKind(first, seed) && tells(`${headline ?? ""}\n${first.title}`, seed.truth)
  );
}

function saidOf({ headline, suspects }: Cause): string {
  const [first] = suspects;
  const kinds = suspects.map(({ kind, confidence }) => `${kind} ${confidence}`).join(", ");
  return `${headline ?? "no headline"}\n  detail: ${first?.detail?.replace(/\s+/g, " ").slice(0, 300) ?? "none"}\n  suspects: ${kinds}`;
}

/** What stands on the first screen of an address, in a browser that has never been there. */
async function textOf(server: Server, url: string, ready: string): Promise<string> {
  const { page, context } = await openPage();
  try {
    await context.addCookies([{ ...server.cookie, url: server.url }]);
    await page.goto(url, { waitUntil: "load" });
    // A page that never gets there tells what stands on it.
    await page
      .locator(ready)
      .first()
      .waitFor({ timeout: READY_MS })
      .catch(() => {});
    return await settledText(page);
  } finally {
    await context.close();
  }
}
