import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Command } from "commander";
import { readTraceReference } from "../agents/trace-reference.ts";
import { loadConfig } from "../config.ts";
import { createSigninLink } from "../identity/sessions/service.ts";
import { runningServer } from "../main.ts";
import { openInBrowser } from "../platform/terminal.ts";
import { callJson } from "./call.ts";
import { ingestOne, waitFor } from "./ingest.ts";
import { ingestReports } from "./ingest-reports.ts";
import { slugOfFolder, sortOut } from "./ingest-sort.ts";
import { type CommonOptions, example, withData } from "./options.ts";
import { CliError, note, say } from "./output.ts";
import { serveHere, stopSignal, untilStopped } from "./serve.ts";
import { type Session, sessionOn, withSession } from "./session.ts";
import { type TraceFolder, withTraceFolder } from "./trace-folder.ts";

interface OpenOptions extends CommonOptions {
  open: boolean;
  port?: string;
}

/** `open`: from a file or an id to the failed step in the viewer. */
export function openCommand(program: Command): void {
  const command = program
    .command("open")
    .argument(
      "<what>",
      "trace.zip, bundle, unpacked trace (its folder or .trace file), report, trace id, short id or link",
    )
    .description("show a trace in the viewer, at the failed step")
    .option("--port <port>", "port, when a server has to be started (default: 4173)")
    .option("--no-open", "print the link only");
  example(withData(command), "tracedeck open test-results/checkout/trace.zip");
  command.action(async (what: string, options: OpenOptions) => {
    const config = loadConfig({ data: options.data, port: options.port });
    const served = runningServer(config.dataDir) ? null : await serveHere(config, program);
    try {
      const work = (session: Session) => show(session, what, options.open);
      await (served ? work(sessionOn(served)) : withSession(options, work));
      if (served) {
        const stop = stopSignal();
        note("The server runs until it is stopped with Ctrl-C.");
        await untilStopped(served, stop);
      }
    } finally {
      await served?.close();
    }
  });
}

async function show(session: Session, what: string, mayOpen: boolean) {
  const next = await pageOf(session, what);
  const { store, clock, ids, orgId } = session;
  const base = session.config.publicUrl ?? session.serverUrl!;
  const link = await createSigninLink({ store, clock, ids }, { orgId, base, next });
  say(link.url);
  if (mayOpen && !(await openInBrowser(link.url))) note("Open this link in a browser.");
}

/** The page of what was named: of a report its test run, else a trace at its failed step. */
async function pageOf(session: Session, what: string): Promise<string> {
  const { reports, folders } = await sortOut([what]);
  if (reports.length > 0) {
    const [outcome] = await ingestReports(session, reports, {});
    if (outcome?.problem) throw outcome.problem;
    return `/test-runs/${outcome!.answer!.short_id}`;
  }
  const id = folders[0] ? await ingestedFolder(session, folders[0]) : await traceOf(session, what);
  const detail = await callJson<{ failed_step_id: string | null }>(session.client, `/v1/traces/${id}`);
  const step = detail.failed_step_id ? `?step=${encodeURIComponent(detail.failed_step_id)}` : "";
  return `/traces/${id}${step}`;
}

async function traceOf(session: Session, what: string): Promise<string> {
  if (await isFile(what)) return ingested(session, what);
  if (readTraceReference(what) === null)
    throw new CliError(
      `There is no file or folder ${what}, and it is no id or link of a trace.`,
      "not_found",
    );
  return session.traceId(what);
}

/** Of several traces in a folder the last is shown. */
function ingestedFolder(session: Session, folder: TraceFolder): Promise<string> {
  return withTraceFolder(folder, async (traces) => {
    let last = "";
    for (const { path, name } of traces)
      last = (await ingestOne(session, path, { scenario: slugOfFolder(folder) }, name)).trace_id;
    await waitFor(session, last);
    return last;
  });
}

async function ingested(session: Session, file: string): Promise<string> {
  const { trace_id } = await ingestOne(session, file, { scenario: slugOf(file) });
  await waitFor(session, trace_id);
  return trace_id;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}

/** A scenario's slug out of a file name: `Checkout trace.zip` → `checkout-trace`. */
export function slugOf(path: string): string {
  const name = basename(path).replace(/(\.tar\.zst|\.tzst|\.zip|\.[^.]*)$/i, "");
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, 64)
    .replace(/(?<!-)-+$/, "");
  return slug || "trace";
}
