import { basename, relative, sep } from "node:path";
import type { BrowserContext, Page, TestInfo } from "@playwright/test";
import { createApiClient } from "../../platform/api-client.ts";
import { systemClock, toIso } from "../../platform/clock.ts";
import { createIds } from "../../platform/ids.ts";
import { slugOf, type TestIdentity, titleOf } from "../../trace/format/test-name.ts";
import { untraced as runUntraced } from "../browsers/untraced.ts";
import { createApiSink } from "../capture/api-sink.ts";
import { captureConsole } from "../capture/console.ts";
import { coverPages } from "../capture/cover.ts";
import { createDomRecording } from "../capture/dom-recording.ts";
import { captureNetwork } from "../capture/network.ts";
import { createPageSessions } from "../capture/page-sessions.ts";
import { createRecorder } from "../capture/recorder.ts";
import { onceShown, type Screencast, startScreencast } from "../capture/screencast.ts";
import type { CaptureManifest, CaptureSink, RunVerdict } from "../capture/sink.ts";
import { createRedactor } from "../redaction/redact.ts";
import { createTypedValues } from "../redaction/typed.ts";
import { readCi, readGitCommit } from "./ci.ts";
import { findConnection } from "./connection.ts";
import { ATTACHMENT, HANDOVER, readReporterNote } from "./handover.ts";
import type { Environment, FixtureOptions, KitOptions } from "./options.ts";
import { captureSteps } from "./steps.ts";
import { watchTyping } from "./typing.ts";
import { toZstd } from "./zstd.ts";

/** How long the end of a test waits for its recording. */
const END_MS = 5000;
const PICTURE_MS = 1500;
const PICTURE = { type: "jpeg", quality: 80 } as const;

export interface NativeCapture {
  /**
   * Ends what looks at pages. They may close when it resolves, to what sends the rest and hands the trace over, or ends it.
   * Neither throws.
   */
  leave(): Promise<() => Promise<void>>;
}

interface Surroundings {
  env: Environment;
  pageRecorder: string;
  pageCover: string;
}

/**
 * Records what happens in a test's context, live to the viewer: steps, requests with bodies, console, the DOM as rrweb
 * replays it, pictures. Null without a server. It fails no test: a recording that cannot begin or be kept ends, and that is all.
 */
export async function startCapture(
  context: BrowserContext,
  testInfo: TestInfo,
  given: FixtureOptions,
  surroundings: Surroundings,
): Promise<NativeCapture | null> {
  try {
    return await capture(context, testInfo, given, surroundings);
  } catch (error) {
    tellWithout(testInfo, error);
    return null;
  }
}

/** The reporter uploads the archive instead; without one, this is where people learn of it. */
function tellWithout(testInfo: TestInfo, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  testInfo.annotations.push({ type: "tracedeck", description: `No native capture: ${reason}` });
}

async function capture(
  context: BrowserContext,
  testInfo: TestInfo,
  given: FixtureOptions,
  { env, pageRecorder, pageCover }: Surroundings,
): Promise<NativeCapture | null> {
  const note = readReporterNote(env[HANDOVER]);
  const options: FixtureOptions = { ...note, ...given };
  const connection = findConnection(options, env);
  if (given.isEnabled === false || !connection?.apiKey) return null;
  const clock = systemClock;
  const ids = createIds(clock);
  const client = createApiClient({ url: connection.url, apiKey: connection.apiKey });
  const api = createApiSink(client, clock);
  const typed = createTypedValues();
  const redactor = createRedactor({
    typed,
    secrets: secretsOf(env),
    headers: options.redactHeaders ?? [],
    patterns: options.redactPatterns ?? [],
  });
  const begun = manifestOf(testInfo, options, env).then((manifest) => api.begin(manifest));
  // Told by the recorder, whose first chunk waits for it.
  begun.catch(() => {});
  const sink: CaptureSink = {
    ...api,
    blobs: (blobs) => begun.then(() => api.blobs(blobs)),
    chunk: (n, bytes) => begun.then(() => api.chunk(n, bytes)),
    artifact: (kind, bytes) => begun.then(() => api.artifact(kind, bytes)),
  };
  const recorder = createRecorder({ sink, clock, redactor, compress: toZstd });
  const untraced = <T>(work: () => Promise<T>): Promise<T> => runUntraced(context, work);

  const consoleCapture = captureConsole(context, recorder, redactor, clock);
  const sessionOf = createPageSessions(context);
  const network = captureNetwork(context, { recorder, redactor, clock, sessionOf, untraced });
  const binding = `_${ids.secret(16)}`;
  const recording = createDomRecording({
    recorder,
    redactor,
    clock,
    scripts: { recorder: pageRecorder },
    binding,
  });
  await untraced(async () => {
    await context.exposeBinding(binding, ({ page }, batch: unknown) => recording.take(page, String(batch)));
    await context.addInitScript({ content: recording.script });
  });
  const typing = await untraced(() =>
    watchTyping(context, { typed, clock, binding: `_${ids.secret(16)}`, untraced }),
  );
  const cover = await coverPages(context, redactor, pageCover);
  typed.onWord(() => cover.update());
  const pages: Page[] = [];
  const films: Promise<Screencast | null>[] = [];
  const casts = new Set<Screencast>();
  const film = (page: Page, pageName: string) => {
    if (hasEnded) return;
    // Other browsers than Chromium have no such film, and a page that closed at once needs none.
    const cast = untraced(() =>
      startScreencast(page, { recorder, clock, pageName, sessionOf, untraced }),
    ).catch(() => null);
    films.push(cast);
    void cast.then((started) => started && casts.add(started));
  };
  let hasEnded = false;
  const open = (page: Page) => {
    const pageName = `page@${pages.push(page)}`;
    const begin = () => film(page, pageName);
    if (pages.length === 1) onceShown(page, begin);
    else begin();
  };
  context.on("page", open);
  for (const page of context.pages()) open(page);
  const mark = () => {
    for (const cast of casts) cast.mark();
  };
  const steps = captureSteps(testInfo, { recorder, redactor, clock, typing, onStepEnd: mark });

  /** What the browser is still needed for. */
  async function gather(): Promise<void> {
    await steps.finish();
    context.off("page", open);
    hasEnded = true;
    const page = pages.findLast((one) => !one.isClosed());
    const [picture] = await Promise.all([
      // While the film goes on, a busy browser now and then draws no picture.
      stopFilms().then(() => page && within(shoot(page))),
      page && within(untraced(() => page.evaluate(recording.last))),
      untraced(() => network.settle()),
    ]);
    consoleCapture.finish();
    const size = page?.viewportSize();
    if (!picture) return;
    const sent = sink.artifact("screenshot", new Blob([Uint8Array.from(picture)], { type: "image/jpeg" }));
    const blob = recorder.blob(picture, sent);
    // A test may be over before the film has begun: its end is among the pictures all the same.
    if (size) recorder.emit("screenshot", { blob, ...size, media_type: "image/jpeg" });
  }

  async function stopFilms(): Promise<void> {
    const begun = await Promise.all(films);
    await Promise.all(begun.map((cast) => cast && untraced(() => cast.stop())));
  }

  /** The page as it is, without what Playwright does to a page before its own pictures. */
  async function shoot(page: Page): Promise<Buffer> {
    const session = await sessionOf(page).catch(() => null);
    // Other browsers than Chromium have no such session.
    if (!session) return untraced(() => page.screenshot({ ...PICTURE, timeout: PICTURE_MS }));
    const { data } = await session.send("Page.captureScreenshot", {
      format: PICTURE.type,
      quality: PICTURE.quality,
      optimizeForSpeed: true,
    });
    return Buffer.from(data, "base64");
  }

  /** Null when it takes too long, as of a page that hangs, or the page goes away meanwhile. */
  async function within<T>(work: Promise<T>): Promise<T | null> {
    const over = new AbortController();
    const late = clock.sleep(PICTURE_MS, over.signal).then(() => null);
    const value = await Promise.race([work.catch(() => null), late]);
    over.abort();
    return value;
  }

  async function send(): Promise<string> {
    const ndjson = recording.ndjson();
    await Promise.all([
      recorder.close(),
      ndjson && keepRecording(ndjson),
      redactor.count > 0 &&
        sink.artifact("summary", new Blob([JSON.stringify({ redaction_count: redactor.count })])),
    ]);
    return (await begun).traceId;
  }

  async function keepRecording(ndjson: Blob): Promise<void> {
    await sink.artifact("rrweb", new Blob([Uint8Array.from(await toZstd(await ndjson.text()))]));
  }

  return {
    async leave() {
      const over = new AbortController();
      const late = clock.sleep(END_MS, over.signal).then(() => null);
      const gathered = gather();
      // Later than anybody waits for, it fails unheard.
      gathered.catch(() => {});
      await Promise.race([gathered.catch(() => {}), late]);
      return async () => {
        try {
          const work = gathered.then(send);
          work.catch(() => {});
          const traceId = await Promise.race([work, late]);
          if (traceId === null) throw new Error(`its recording took longer than ${END_MS / 1000} s`);
          const link = `${connection.url}/traces/${traceId}`;
          await testInfo.attach(ATTACHMENT, {
            body: `${link}\ntrace_id: ${traceId}\n`,
            contentType: "text/plain",
          });
          if (!note) await api.end(verdictOf(testInfo), toIso(clock.now()));
        } catch (error) {
          tellWithout(testInfo, error);
        } finally {
          over.abort();
        }
      };
    },
  };
}

const commits = new Map<string, Promise<string | null>>();

/** The commit of a folder: git is asked once for all tests of a worker. */
function checkedOut(folder: string): Promise<string | null> {
  const commit = commits.get(folder) ?? readGitCommit(folder);
  commits.set(folder, commit);
  return commit;
}

async function manifestOf(
  testInfo: TestInfo,
  options: KitOptions,
  env: Environment,
): Promise<CaptureManifest> {
  const facts = readCi(env);
  const rootDir = testInfo.config.rootDir;
  const [, ...titles] = testInfo.titlePath;
  const file = relative(rootDir, testInfo.file).split(sep).join("/");
  const identity: TestIdentity = { project: testInfo.project.name, file, titles };
  const commit = options.commit ?? facts.commit ?? (await checkedOut(rootDir));
  const pr = options.pr ?? facts.pr;
  // Without a reporter, the attempts of a run have their runner process in common.
  const runId = options.runId ?? `playwright-${process.ppid}-${toIso(systemClock.now()).slice(0, 10)}`;
  return {
    version: 1,
    scenario: { slug: slugOf(identity, options.scenario), title: titleOf(identity) },
    started_at: toIso(systemClock.now()),
    source: sourceOf(options.source) ?? facts.source,
    ...(commit && { code_sha: commit }),
    ...(pr !== null && { pr_number: pr }),
    run_id: testInfo.repeatEachIndex > 0 ? `${runId}-r${testInfo.repeatEachIndex}` : runId,
    attempt: testInfo.retry + 1,
    env: {
      ...(identity.project && { project: identity.project }),
      file: `${file}:${testInfo.line}`,
      attempt: String(testInfo.retry + 1),
      browser: testInfo.project.use.browserName ?? testInfo.project.use.defaultBrowserType ?? "chromium",
      recorder: `tracedeck fixture (${basename(testInfo.config.configFile ?? "playwright")})`,
      ...(facts.url && { ci: facts.url }),
    },
  };
}

const sourceOf = (text: string | undefined): CaptureManifest["source"] | null =>
  (["pr", "schedule", "manual", "shadow_diff"] as const).find((one) => one === text) ?? null;

function verdictOf({ status, expectedStatus }: TestInfo): RunVerdict {
  if (status === expectedStatus || status === "skipped") return "passed";
  return status === "interrupted" ? "aborted" : "failed";
}

/** Values that must stand nowhere: those that scenarios would get by the same names. */
function secretsOf(env: Environment): Record<string, string> {
  const isSecret = (name: string) => name.startsWith("TRACEDECK_SECRET_") || name === "TRACEDECK_KEY";
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (isSecret(name) && value ? [[name, value]] : [])),
  );
}
