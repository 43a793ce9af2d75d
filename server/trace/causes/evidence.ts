import { linesOfWhole } from "../../../store/events/whole-file.ts";
import { createLocalFiles } from "../../../store/files/local.ts";
import { createPageSource, type PageSource } from "../diffs/pages.ts";
import { mayBeStyled } from "../format/cause/detectors/elements/styled.ts";
import { type ActShots, actShots, passActShots } from "../format/cause/page/acts.ts";
import { viewOfHtml, viewOfTree } from "../format/cause/page/page-view.ts";
import { calledAlike } from "../format/cause/run/called.ts";
import { withHeldAction } from "../format/cause/run/held.ts";
import { isMissing } from "../format/cause/run/missing-element.ts";
import { nameOperations } from "../format/cause/run/operations.ts";
import { withReadValue } from "../format/cause/run/read-values.ts";
import type { Exchange, PageShot, RunFacts } from "../format/cause/run/run-facts.ts";
import { createRunReader } from "../format/cause/run/run-reader.ts";
import {
  changedCode,
  comparableBodies,
  earlierPages,
  failedOf,
  failurePage,
  pageBefore,
  passPage,
  testCodeOf,
  wantedBodies,
} from "../format/cause/run/select.ts";
import { isPrinted, type WindowSize, windowOf } from "../format/cause/style/media.ts";
import { readSheets, sheetsOfHtml, sheetsOfTree } from "../format/cause/style/sheets.ts";
import type { Evidence, RunEvidence, SeenPage, TestFile } from "../format/cause/types.ts";
import { readEvent } from "../format/event.ts";
import type { Summary } from "../format/summary.ts";
import { readActs } from "./acts.ts";
import { readBodies, readMeant } from "./bodies.ts";
import { sameFiles } from "./same-files.ts";
import type { CauseInput, Comparison, RunSource } from "./source.ts";
import { createTexts, textOf } from "./texts.ts";
import { createUnread } from "./unread.ts";
import { tellRecordedWindows } from "./windows.ts";

const LARGEST_PAGE = 4 * 1024 * 1024;
/** Of one script or style sheet; bundles of a whole product are that large. */
const LARGEST_CODE = 2 * 1024 * 1024;
/** Of all changed scripts and style sheets of one run. */
const MOST_CODE = 12 * 1024 * 1024;
/** Of one file of the test's own code. */
const LARGEST_TEST = 256 * 1024;

const NONE = Promise.resolve(null);

/** A run that failed, as whoever made its files knows it. */
export interface KnownRun {
  summary: Summary;
  facts: RunFacts;
}

/** What was read of a failed run and of the passes before it. */
export interface ReadEvidence {
  evidence: Evidence;
  /** How many passes, pages, bodies and style sheets could not be read. */
  unread: number;
  /** The markup of a recorded page of the run, or of a pass by its place in `evidence.passes`; null when it is not kept or too large. */
  html(of: "run" | number, shot: PageShot): Promise<string | null>;
}

/**
 * Reads the events of a failed run and of the passes before it once, and of what they refer to what tells.
 * @returns null when nothing failed
 */
export async function readEvidence(
  input: CauseInput,
  progress: (progress: unknown) => void,
): Promise<ReadEvidence | null> {
  progress(0);
  const bytes = await createLocalFiles(input.files).read(input.summary);
  const summary = JSON.parse(new TextDecoder().decode(bytes)) as Summary;
  if (!summary.failure) return null;
  return evidenceOf(input, { summary, facts: await readFacts(input.run) }, progress);
}

/** The same of a run whose own events were read already. */
export async function evidenceOf(
  input: Comparison,
  { summary, facts: recorded }: KnownRun,
  progress: (progress: unknown) => void,
): Promise<ReadEvidence> {
  const files = createLocalFiles(input.files);
  const unread = createUnread();
  const texts = createTexts(files, unread);
  // Of a trace that is being processed the summary knows more than the records.
  input.run.environment = { ...summary.environment, ...input.run.environment };
  progress(1);
  const read: { source: RunSource; facts: RunFacts }[] = [];
  for (const source of input.passes) {
    const its = await unread.attempt(source.events.path, readFacts(source));
    if (its) read.push({ source, facts: its });
    progress(read.length + 1);
  }
  for (const one of [{ source: input.run, facts: recorded }, ...read])
    await readMeant(texts, one.source, one.facts);
  const [facts, ...theirs] = calledAlike([recorded, ...read.map((one) => one.facts)]) as [
    RunFacts,
    ...RunFacts[],
  ];
  const failed = withHeldAction(withReadValue(failedOf(summary, facts)!, facts, theirs), facts, theirs);
  const wanted = wantedBodies(facts, failed);
  const shot = failurePage(facts, failed);
  // What one recorded page refers to, the others mostly do as well.
  const pages = pagesIn(input.run);
  const windows = new Map<RunEvidence, WindowSize>();
  const run = await readRun(input.run, facts, { pages, shot }, wanted);
  if (shot && isMissing({ failed })) run.earlier = await pagesOf(earlierPages(facts, failed, shot));
  const before = pageBefore(facts, failed, shot);
  if (before) [run.before] = await pagesOf([before]);
  if (run.page && mayBeStyled({ failed, run }))
    await unread.attempt("style sheets", addSheets(run.page.shot));
  const acts = actShots(facts, failed);
  const passes: RunEvidence[] = [];
  const passSources: RunSource[] = [];
  for (const [at, { source }] of read.entries()) {
    const pass = await unread.attempt(source.events.path, passOf(source, theirs[at]!));
    if (!pass) continue;
    passSources.push(source);
    passes.push(pass);
  }
  tellRecordedWindows([run, ...passes], windows);
  await addActs();
  await addCode();
  const testFiles = await addTestCode();
  return {
    evidence: { failed, run, passes, testFiles },
    unread: unread.count(),
    async html(of, { html }) {
      const source = of === "run" ? input.run : passSources[of];
      return html === null || !source ? null : textOf(files, source, html, LARGEST_PAGE);
    },
  };

  /** Those of them that were kept. */
  async function pagesOf(shots: readonly PageShot[]): Promise<SeenPage[]> {
    const found: SeenPage[] = [];
    for (const one of shots) {
      const page = await seen(input.run, pages, one);
      if (page) found.push(page);
    }
    return found;
  }

  /** What the last actions met. */
  async function addActs(): Promise<void> {
    const sourceOf = (source: RunSource, its: RunFacts, shots: ActShots[], own: PageSource | null) => ({
      facts: its,
      shots,
      own: (one: PageShot) => unread.attempt(nameOf(source, one), own?.own(one) ?? NONE),
      see: (one: PageShot) => seen(source, own, one),
    });
    const [mine, ...theirs] = await readActs(
      failed,
      sourceOf(input.run, facts, acts, pages),
      passes.map((pass, at) => {
        const source = passSources[at]!;
        return sourceOf(source, pass.facts, passActShots(facts, acts, pass.facts), pagesIn(source));
      }),
      [run.page, run.before].flatMap((page) => page ?? []),
    );
    run.acts = mine;
    for (const [at, pass] of passes.entries()) pass.acts = theirs[at]!;
  }

  /** The style sheets of the failure's page, which may say why an element of it cannot be used. */
  async function addSheets(at: PageShot): Promise<void> {
    const html = at.html === null ? null : await texts.read(input.run, at.html, LARGEST_PAGE);
    const recorded = html === null ? await pages?.trees(at) : null;
    const marks =
      html !== null ? sheetsOfHtml(html) : recorded ? sheetsOfTree(recorded.trees, recorded.at) : [];
    run.sheets = await readSheets(marks, at, facts, ({ body }, longest) =>
      texts.read(input.run, body!, longest),
    );
    const window = windows.get(run) ?? (await windowBefore(at)) ?? windowOf(input.run.environment.viewport);
    run.window = window && { ...window, isPrinted: isPrinted(facts, at) };
  }

  /** The window of a page whose own picture, being markup alone, does not tell it: as it was when that address was pictured whole. */
  async function windowBefore({ url, ts }: PageShot): Promise<WindowSize | null> {
    const whole = facts.pages.findLast((one) => one.snapshot !== null && one.url === url && one.ts <= ts);
    return (whole && (await pages?.window(whole))) ?? null;
  }

  /** Of the scripts and style sheets that changed, those of the newest pass and of this run. */
  async function addCode(): Promise<void> {
    const [newest] = passes;
    const [source] = passSources;
    if (!newest || !source) return;
    const code = changedCode(facts, newest.facts);
    await readCode(input.run, code.run, run.bodies);
    await readCode(source, code.pass, newest.bodies);
  }

  /** The test's own code; what of it is another one in the newest pass. */
  async function addTestCode(): Promise<TestFile[]> {
    const mine = testCodeOf(facts, failed.stack);
    const sources = new Map<string, string>();
    for (const [file, reference] of mine) {
      const text = await texts.read(input.run, reference, LARGEST_TEST);
      if (text !== null) sources.set(file, text);
    }
    if (sources.size > 0) run.sources = sources;
    const [newest] = passes;
    const [source] = passSources;
    if (!newest || !source) return [];
    const theirs = testCodeOf(newest.facts, []);
    const changed: TestFile[] = [];
    const called = sameFiles([...sources.keys()], [...theirs.keys()]);
    for (const [file, now] of sources) {
      const reference = theirs.get(called.get(file) ?? file);
      if (reference === undefined || reference === mine.get(file)) continue;
      const before = await texts.read(source, reference, LARGEST_TEST);
      if (before !== null) changed.push({ file, now, before });
    }
    return changed;
  }

  async function readCode(
    source: RunSource,
    answers: readonly Exchange[],
    into: Map<number, string>,
  ): Promise<void> {
    let left = MOST_CODE;
    for (const { seq, body } of answers) {
      const text = body === null ? null : await texts.read(source, body, LARGEST_CODE);
      if (text === null) continue;
      left -= text.length;
      if (left < 0) return;
      into.set(seq, text);
    }
  }

  async function passOf(source: RunSource, its: RunFacts): Promise<RunEvidence> {
    const pages = pagesIn(source);
    const shot = passPage(facts, failed, its);
    return readRun(source, its, { pages, shot }, comparableBodies(facts, wanted, its));
  }

  function pagesIn({ snapshots }: RunSource): PageSource | null {
    return snapshots && createPageSource(files, snapshots);
  }

  async function readRun(
    source: RunSource,
    its: RunFacts,
    { pages, shot }: { pages: PageSource | null; shot: PageShot | null },
    answers: readonly Exchange[],
  ): Promise<RunEvidence> {
    const [page, bodies] = await Promise.all([
      shot ? seen(source, pages, shot) : null,
      readBodies(texts, source, answers, its),
    ]);
    nameOperations(its, bodies);
    const evidence: RunEvidence = { facts: its, page, bodies, environment: source.environment };
    const window =
      page && (await unread.attempt(nameOf(source, page.shot), pages?.window(page.shot) ?? NONE));
    if (window) windows.set(evidence, window);
    return evidence;
  }

  function seen(source: RunSource, pages: PageSource | null, shot: PageShot): Promise<SeenPage | null> {
    return unread.attempt(nameOf(source, shot), readPage(source, pages, shot));
  }

  async function readPage(
    source: RunSource,
    pages: PageSource | null,
    shot: PageShot,
  ): Promise<SeenPage | null> {
    const html = shot.html === null ? null : await texts.read(source, shot.html, LARGEST_PAGE);
    if (html !== null) return { shot, elements: viewOfHtml(html) };
    const recorded = await pages?.trees(shot);
    return recorded ? { shot, elements: viewOfTree(recorded.trees, recorded.at) } : null;
  }
}

/** What a page goes by where it cannot be read. */
const nameOf = ({ events }: RunSource, { seq }: PageShot): string => `${events.path} ${seq}`;

/** The markup of a recorded page; null when it is not kept or too large. */
export async function readHtml(
  { files }: Pick<Comparison, "files">,
  source: RunSource,
  { html }: PageShot,
): Promise<string | null> {
  return html === null ? null : textOf(createLocalFiles(files), source, html, LARGEST_PAGE);
}

/**
 * Reads the events of a run once.
 * @throws DamagedFileError when they are fewer than the run has
 */
export async function readFacts({ events }: RunSource): Promise<RunFacts> {
  const reader = createRunReader();
  for await (const lines of linesOfWhole(events)) for (const line of lines) reader.add(readEvent(line));
  return reader.finish();
}
