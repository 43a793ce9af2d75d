import type { EventFile } from "../../../store/events/types.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import type { TraceAccess } from "../access.ts";
import { causeFor } from "../causes/service.ts";
import { orDamaged } from "../events/source.ts";
import { exchange, smallBlob } from "../files/exchange.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { asRecorded, type Clean } from "../fit.ts";
import type { Cause } from "../format/cause/types.ts";
import { plainText } from "../format/error-text.ts";
import { readEvent } from "../format/event.ts";
import { PROMPT_REQUESTS, type PromptRequest, renderPrompt } from "../format/prompt.ts";
import type { Summary } from "../format/summary.ts";
import { deepLink, reportMaterial } from "../reports/service.ts";

type Reader = TraceAccess["kind"];

/**
 * A trace's failure as a prompt for an agent, made anew at each request; of a trace that has not ended or is cold, as
 * far as it is known.
 * @param base the origin that the client uses, for the link
 * @param reader who is handed this trace alone reads nothing of the passes that it was compared with
 * @param clean what its reader may not have is taken out by it, before anything is cut
 */
export const tracePrompt = (
  deps: Deps,
  trace: TraceRow,
  base: string,
  reader: Reader,
  clean: Clean = asRecorded,
): Promise<string> => whereItLies(deps, trace, (now) => promptOf(deps, now, base, reader, clean));

async function promptOf(
  deps: Deps,
  trace: TraceRow,
  base: string,
  reader: Reader,
  clean: Clean,
): Promise<string> {
  const { summary, events, file } = await reportMaterial(deps, trace);
  // The nearest before the failure come last.
  const nearest = events.badRequests.slice(-PROMPT_REQUESTS).reverse();
  const requests: PromptRequest[] = [];
  // One after the other: each may read a page of events.
  if (file)
    for (const response of nearest)
      requests.push(await orDamaged(deps, exchange(deps, trace, file, response, clean)));
  const { cause, context, isAlone } = await causeFor(deps, trace, reader);
  const told = new Set(nearest.map(({ seq }) => seq));
  const answer = file && (await orDamaged(deps, answerOf(deps, trace, file, cause, told, clean)));
  const errorContext = file && (await orDamaged(deps, errorContextOf(deps, trace, file, clean)));
  return renderPrompt({
    summary: clean(summary),
    ...clean({ cause, context }),
    isAlone,
    source: await sourceAround(deps, trace, summary, clean),
    errorContext,
    requests,
    answer,
    consoleErrors: clean(events.consoleErrors),
    codeSha: trace.code_sha,
    link: deepLink(base, trace, summary),
  });
}

/** The exchange that the first suspect is about; null when it is about none, or one that is told already. */
async function answerOf(
  deps: Deps,
  trace: TraceRow,
  file: EventFile,
  { suspects }: Cause,
  told: ReadonlySet<number>,
  clean: Clean,
): Promise<PromptRequest | null> {
  for (const seq of suspects[0]?.events.slice(0, 2) ?? []) {
    if (told.has(seq)) return null;
    for await (const line of file.lines(seq)) {
      const event = readEvent(line);
      if (event.seq === seq && event.kind === "network.response")
        return exchange(deps, trace, file, event, clean);
      break;
    }
  }
  return null;
}

const LINES_BEFORE = 8;
const LINES_AFTER = 4;
const SOURCE_LINE = 200;

/** The recorded source around the place of the failure: that of the test's own code. */
export async function sourceAround(
  deps: Deps,
  trace: TraceRow,
  { failure }: Summary,
  clean: Clean = asRecorded,
): Promise<string | null> {
  const frame = failure?.stack?.find(({ source, line }) => source !== undefined && line > 0);
  const bytes = frame && (await smallBlob(deps, trace, frame.source!));
  if (!bytes) return null;
  const text = Buffer.from(bytes).toString("utf8");
  const lines = clean(text).split("\n");
  // Where a key of several lines was taken out, nobody knows which line is which.
  if (lines.length !== text.split("\n").length) return null;
  const from = Math.max(0, frame.line - 1 - LINES_BEFORE);
  return lines
    .slice(from, frame.line + LINES_AFTER)
    .map((line, at) => {
      const number = from + at + 1;
      return `${number === frame.line ? ">" : " "} ${String(number).padStart(4)} | ${plainText(`.${line}`, SOURCE_LINE).slice(1)}`;
    })
    .join("\n");
}

const PAGE_SNAPSHOT = /# Page snapshot\s+```ya?ml\n([\s\S]*?)\n?```/i;

/** The page's tree from the `error-context` that Playwright's runner attached; null where there is none. */
async function errorContextOf(
  deps: Deps,
  trace: TraceRow,
  file: EventFile,
  clean: Clean,
): Promise<string | null> {
  const query = { kinds: ["agent.action", "assertion"], text: "error-context", offset: 0, limit: 5 };
  const { lines } = await file.query({ ...query, isFromEnd: true });
  for (const event of lines.map(readEvent)) {
    const attachments = Array.isArray(event.attachments) ? event.attachments : [];
    const found = attachments.find(({ name, blob }) => name === "error-context" && typeof blob === "string");
    const bytes = found && (await smallBlob(deps, trace, found.blob));
    const tree = bytes && PAGE_SNAPSHOT.exec(Buffer.from(bytes).toString("utf8"))?.[1];
    if (tree) return plainText(clean(tree));
  }
  return null;
}
