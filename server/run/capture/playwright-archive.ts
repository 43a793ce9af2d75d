import { copyFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { openZip } from "../../../store/archives/zip.ts";
import { removeTempFolder, tempFolder } from "../../platform/temp-folder.ts";
import { stopTracing, writeTraceLate } from "../browsers/internals.ts";
import { untraced } from "../browsers/untraced.ts";
import type { Redactor } from "../redaction/redact.ts";
import { redactArchive } from "./archive-redaction.ts";
import type { Recorder } from "./recorder.ts";
import type { CaptureSink, Keeping } from "./sink.ts";

/** Unpacked bytes. A larger archive would take longer to rewrite than the run took. */
const LARGEST = 1024 * 1024 * 1024;

/** Playwright's own trace of a run: its pages before, during and after every step. */
export interface ArchiveCapture {
  /** What comes until `leave` belongs to the step. */
  enter(step: {
    id: string;
    source: string;
    at: { file: string; line: number; column: number };
  }): Promise<void>;
  leave(): Promise<void>;
  /** Ends it; what remains to be done needs no browser any more. */
  stop(): Promise<ArchiveKeeping>;
}

/** Keeps it, redacted, and names its pages in events. */
export type ArchiveKeeping = (sink: CaptureSink) => Keeping;

/** Begins it. Pictures are left out: the run films itself; so are sources, which the compiled program cannot read. */
export async function captureArchive(
  context: BrowserContext,
  { recorder, redactor }: { recorder: Recorder; redactor: Redactor },
): Promise<ArchiveCapture> {
  const stepIds: string[] = [];
  writeTraceLate(context);
  await context.tracing.start({ snapshots: true, screenshots: false });

  return {
    async enter({ id, source, at }) {
      stepIds.push(id);
      await untraced(context, () => context.tracing.group(redactor.text(source), { location: at })).catch(
        isClosed,
      );
    },
    leave: () => untraced(context, () => context.tracing.groupEnd()).catch(isClosed),
    async stop() {
      const folder = tempFolder();
      const stopped = await takeFiles(context, folder).catch((error: unknown) => ({ error }));
      return (sink) => {
        const made = rewrite(folder, stopped);
        const sent = made.then((path) =>
          path === null ? undefined : sink.artifact("playwright", Bun.file(path)),
        );
        return {
          recorded: [made.then(() => {})],
          kept: [sent.finally(() => removeTempFolder(folder))],
        };
      };
    },
  };

  /** @returns where it lies; null when there is none to keep, which is noted */
  async function rewrite(folder: string, taken: RawFiles | { error: unknown }): Promise<string | null> {
    try {
      if ("error" in taken) throw taken.error;
      const clean = join(folder, "playwright.zip");
      const pages = createPageNames(stepIds);
      const rest = await openZip(taken.packed);
      try {
        const members = [...taken.files, ...rest.members];
        if (members.reduce((sum, { size }) => sum + size, 0) > LARGEST) {
          recorder.note("The Playwright archive of this run is too large to be kept.");
          return null;
        }
        const raw = [
          ...taken.files.map(({ name, path }) => ({ name, read: () => Bun.file(path).bytes() })),
          ...rest.members.map((member) => ({ name: member.name, read: () => rest.read(member) })),
        ];
        await redactArchive(raw, clean, redactor, pages.see);
      } finally {
        await rest.close();
      }
      for (const { ts, stepId, ...fields } of pages.found())
        recorder.emit("dom.snapshot", { ...fields, url: redactor.url(fields.url) }, { ts, stepId });
      // The last events of most runs: they go out beside the archive. `broken` tells of a failure.
      recorder.flush().catch(() => {});
      return clean;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      recorder.note(`The Playwright archive of this run could not be kept: ${why}`);
      return null;
    }
  }
}

/** A trace as Playwright has left it. */
interface RawFiles {
  files: { name: string; path: string; size: number }[];
  /** A zip file with the rest. */
  packed: string;
}

/** Ends the trace of a context, and takes its files out of where they would go with the context. */
async function takeFiles(context: BrowserContext, folder: string): Promise<RawFiles> {
  const packed = join(folder, "raw.zip");
  const files = await stopTracing(context, packed);
  const taken = files.map(async ({ name, path }, at) => {
    const own = join(folder, String(at));
    // Both are temporary; where they lie on two file systems, a copy.
    await rename(path, own).catch(() => copyFile(path, own));
    return { name, path: own, size: (await stat(own)).size };
  });
  return { files: await Promise.all(taken), packed };
}

/** A context that has closed is told of by the step that met it. */
const isClosed = (): void => {};

interface PageName {
  ts: number;
  stepId: string;
  url: string;
  snapshot: string;
  phase: string;
  page: string;
  frame: string;
  is_main_frame: true;
}

/** Finds the pages of each step among the lines of a trace: the first before, the last during and after it. */
function createPageNames(stepIds: readonly string[]) {
  const steps = new Map<string, string>();
  const pages = new Map<string, PageName>();
  let groups = 0;
  let offset = 0;

  function seeCall({ callId, parentId, class: of, method }: Record<string, unknown>): void {
    const isStep = of === "Tracing" && method === "tracingGroup";
    const step = isStep ? stepIds[groups++] : steps.get(String(parentId));
    if (step) steps.set(String(callId), step);
  }

  function seePage(snapshot: Record<string, unknown>): void {
    const { callId, phase, frameUrl, pageId, frameId, timestamp, isMainFrame } = snapshot;
    const stepId = steps.get(String(callId));
    if (!stepId || isMainFrame !== true) return;
    const key = `${stepId} ${phase}`;
    if (phase === "before" && pages.has(key)) return;
    pages.set(key, {
      ts: offset + Number(timestamp),
      stepId,
      url: String(frameUrl),
      snapshot: `${phase}@${callId}`,
      phase: String(phase),
      page: String(pageId),
      frame: String(frameId),
      is_main_frame: true,
    });
  }

  return {
    see(line: Record<string, unknown>): void {
      if (line.type === "context-options") offset = Number(line.wallTime) - Number(line.monotonicTime);
      if (line.type === "before") seeCall(line);
      if (line.type === "frame-snapshot") seePage(line.snapshot as Record<string, unknown>);
    },
    found: (): PageName[] => [...pages.values()].filter(({ ts }) => Number.isFinite(ts)),
  };
}
