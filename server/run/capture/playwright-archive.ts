import { statSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { removeTempFolder, tempFolder } from "../../platform/temp-folder.ts";
import { untraced } from "../browsers/untraced.ts";
import { RunnerError } from "../errors.ts";
import type { Redactor } from "../redaction/redact.ts";
import { redactArchive } from "./archive-redaction.ts";
import type { Recorder } from "./recorder.ts";
import type { CaptureSink } from "./sink.ts";

/** A larger archive would take longer to rewrite than the run took. */
const LARGEST = 200 * 1024 * 1024;

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

/** Keeps it, redacted, and names its pages in events. @throws RunnerError */
export type ArchiveKeeping = (sink: CaptureSink) => Promise<void>;

/** Begins it. Pictures are left out: the run films itself; so are sources, which the compiled program cannot read. */
export async function captureArchive(
  context: BrowserContext,
  { recorder, redactor }: { recorder: Recorder; redactor: Redactor },
): Promise<ArchiveCapture> {
  const stepIds: string[] = [];
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
      const raw = join(folder, "raw.zip");
      const stopped = await context.tracing.stop({ path: raw }).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      return (sink) => keep(sink, folder, raw, stopped);
    },
  };

  async function keep(
    sink: CaptureSink,
    folder: string,
    raw: string,
    stopped: { error: unknown } | null,
  ): Promise<void> {
    try {
      if (stopped) throw stopped.error;
      if (statSync(raw).size > LARGEST) {
        const text = "The Playwright archive of this run is too large to be kept.";
        recorder.note(text);
        return;
      }
      const pages = createPageNames(stepIds);
      const clean = join(folder, "playwright.zip");
      await redactArchive(raw, clean, redactor, pages.see);
      for (const { ts, stepId, ...fields } of pages.found())
        recorder.emit("dom.snapshot", { ...fields, url: redactor.url(fields.url) }, { ts, stepId });
      // The last events of most runs: they go out beside the archive. `broken` tells of a failure.
      recorder.flush().catch(() => {});
      await sink.artifact("playwright", Bun.file(clean));
    } catch (error) {
      if (error instanceof RunnerError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      const text = `The Playwright archive of this run could not be kept: ${why}`;
      recorder.note(text);
    } finally {
      removeTempFolder(folder);
    }
  }
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
