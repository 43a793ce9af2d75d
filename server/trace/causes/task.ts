import type { ByteLocation } from "../../../store/blobs/blobs.ts";
import { createLocalBlobFiles } from "../../../store/blobs/local.ts";
import { createEventFiles } from "../../../store/events/files.ts";
import { layout } from "../../../store/layout.ts";
import { createPageSource, type PageSource } from "../diffs/pages.ts";
import { findCause, NO_CAUSE } from "../format/cause/find-cause.ts";
import { viewOfHtml, viewOfTree } from "../format/cause/page-view.ts";
import type { Exchange, PageShot, RunFacts } from "../format/cause/run-facts.ts";
import { createRunReader } from "../format/cause/run-reader.ts";
import { comparableBodies, failedOf, failurePage, passPage, wantedBodies } from "../format/cause/select.ts";
import type { Cause, RunEvidence, SeenPage } from "../format/cause/types.ts";
import { readEvent } from "../format/event.ts";
import type { Summary } from "../format/summary.ts";

/** Where a run's files lie. */
export interface RunSource {
  events: { path: string; indexPath: string };
  blobs: Map<string, ByteLocation>;
  /** The pages of a Playwright archive. */
  snapshots: ByteLocation | null;
}

export interface CauseInput {
  dataDir: string;
  run: RunSource;
  summary: ByteLocation;
  /** Newest first. */
  passes: RunSource[];
}

const LARGEST_PAGE = 4 * 1024 * 1024;
const LARGEST_BODY = 64 * 1024;

/** The task `trace.cause`: reads the events of a failed run and of the passes before it once, and of what they refer to what tells. */
export async function causeTask(input: CauseInput, progress: (progress: unknown) => void): Promise<Cause> {
  progress(0);
  const blobs = createLocalBlobFiles(layout(input.dataDir));
  const summary = JSON.parse(new TextDecoder().decode(await blobs.read(input.summary))) as Summary;
  if (!summary.failure) return NO_CAUSE;
  const facts = await factsOf(input.run);
  progress(1);
  const failed = failedOf(summary, facts)!;
  const wanted = wantedBodies(facts, failed);
  const run = await evidenceOf(input.run, facts, failurePage(facts, failed), wanted);
  const passes: RunEvidence[] = [];
  for (const source of input.passes) {
    // A pass that cannot be read is one less to compare with.
    const pass = await passOf(source).catch(() => null);
    if (pass) passes.push(pass);
    progress(passes.length + 1);
  }
  return findCause({ failed, run, passes });

  async function passOf(source: RunSource): Promise<RunEvidence> {
    const its = await factsOf(source);
    return evidenceOf(source, its, passPage(facts, failed, its), comparableBodies(facts, wanted, its));
  }

  async function evidenceOf(
    source: RunSource,
    its: RunFacts,
    shot: PageShot | null,
    answers: readonly Exchange[],
  ): Promise<RunEvidence> {
    const pages = source.snapshots && createPageSource(blobs, source.snapshots);
    const page = shot && (await seen(source, pages, shot).catch(() => null));
    const bodies = new Map<number, string>();
    for (const { seq, body } of answers) {
      const text = body === null ? null : await textOf(source, body, LARGEST_BODY).catch(() => null);
      if (text !== null) bodies.set(seq, text);
    }
    return { facts: its, page, bodies };
  }

  async function seen(source: RunSource, pages: PageSource | null, shot: PageShot): Promise<SeenPage | null> {
    const html = shot.html === null ? null : await textOf(source, shot.html, LARGEST_PAGE);
    if (html !== null) return { shot, elements: viewOfHtml(html) };
    const recorded = await pages?.trees(shot);
    return recorded ? { shot, elements: viewOfTree(recorded.trees, recorded.at) } : null;
  }

  async function textOf(source: RunSource, given: string, largest: number): Promise<string | null> {
    const hash = /^sha256:([0-9a-f]{64})$/.exec(given)?.[1];
    if (!hash) return given;
    const location = source.blobs.get(hash);
    if (!location || location.size > largest) return null;
    return new TextDecoder().decode(await blobs.read(location));
  }
}

async function factsOf({ events }: RunSource): Promise<RunFacts> {
  const reader = createRunReader();
  const store = createEventFiles();
  try {
    const file = await store.open(events.path, events.indexPath);
    for await (const lines of file.lineBatches()) for (const line of lines) reader.add(readEvent(line));
    return reader.finish();
  } finally {
    store.close();
  }
}
