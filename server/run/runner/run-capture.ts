import type { BrowserContext } from "playwright-core";
import { untraced } from "../browsers/untraced.ts";
import { captureConsole } from "../capture/console.ts";
import { coverPages } from "../capture/cover.ts";
import { captureCoverage } from "../capture/coverage.ts";
import { createDomRecording } from "../capture/dom-recording.ts";
import { captureNetwork, type NetworkCapture } from "../capture/network.ts";
import { capturePages, type PageCapture } from "../capture/page-capture.ts";
import { createPageSessions } from "../capture/page-sessions.ts";
import type { Pages } from "../capture/pages.ts";
import { type ArchiveCapture, captureArchive } from "../capture/playwright-archive.ts";
import type { Recorder } from "../capture/recorder.ts";
import type { Keeping } from "../capture/sink.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { TypedValues } from "../redaction/typed.ts";
import type { Execution } from "./execution.ts";
import type { PendingWork } from "./pending-work.ts";

/** Everything that records a run's pages. */
export interface RunCapture {
  readonly network: NetworkCapture;
  /** Begins what looks into pages. Call it before the first one, and when the pages' clock has been chosen. */
  open(): Promise<OpenRunCapture>;
}

/** Of the recording, before its trace ends. */
export interface LeftToDo {
  /** Until nothing of it becomes an event any more. */
  recording: PendingWork;
  /** Until all of it is kept. Its `settled` throws what the sink throws. */
  keeping: PendingWork;
}

export interface OpenRunCapture {
  capture: PageCapture;
  archive: ArchiveCapture;
  /** Ends all of it, and adds what is left to do. */
  finish(left: LeftToDo): Promise<void>;
}

/** Begins with what needs no page: console, network, coverage. @param execution its signal ends the run */
export function startRunCapture(
  execution: Execution,
  context: BrowserContext,
  pages: Pages,
  { recorder, redactor, typed }: { recorder: Recorder; redactor: Redactor; typed: TypedValues },
): RunCapture {
  const { clock, ids, signal, sink, pageScripts: scripts } = execution;
  const shared = { recorder, redactor, clock };
  const consoleCapture = captureConsole(context, recorder, redactor, clock);
  const sessionOf = createPageSessions(context);
  const network = captureNetwork(context, {
    ...shared,
    sessionOf,
    untraced: (work) => untraced(context, work),
    isEdited: (execution.playback?.plan.sourceDiffs.length ?? 0) > 0,
  });
  const coverage = captureCoverage(context, { ...shared, sessionOf });
  const recording = createDomRecording({ ...shared, scripts, binding: `_${ids.secret(16)}` });

  return {
    network,
    async open() {
      const archive = await captureArchive(context, { recorder, redactor });
      const cover = await coverPages(context, redactor, scripts.cover);
      typed.onWord(() => cover.update());
      const capture = await capturePages(context, { ...shared, pages, recording, coverage, sessionOf });
      return { capture, archive, finish: (left) => finish({ capture, archive }, left) };
    },
  };

  async function finish(
    { capture, archive }: Pick<OpenRunCapture, "capture" | "archive">,
    left: LeftToDo,
  ): Promise<void> {
    const add = ({ recorded, kept }: Keeping) => {
      left.recording.add(recorded);
      left.keeping.add(kept);
    };
    // What there is so far goes out meanwhile.
    recorder.flushBlobs();
    const looked = capture.finish(sink);
    // Told below, when the archive has its bodies too.
    looked.catch(() => {});
    await network.settle();
    consoleCapture.finish();
    // A context that was closed meanwhile has no archive to give.
    const keep = signal.aborted ? null : await archive.stop();
    if (keep) add(keep(sink));
    add(await looked);
  }
}
