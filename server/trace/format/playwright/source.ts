import type { StackFrame, TraceEvent } from "../event.ts";
import type { Raw } from "./shape.ts";

/** A Playwright trace archive as the reader sees it: names and text lines, nothing else. */
export interface PlaywrightSource {
  /** Names of all files, "/" between folders. */
  entries(): string[];
  /** Lines of a file as UTF-8 text without their ends; the last one may be cut short. */
  lines(name: string): AsyncIterable<string>;
  has(name: string): boolean;
}

/** Where the reader puts what it finds, in order of time. */
export interface PlaywrightSink {
  /** Numbered from 1. */
  event(event: TraceEvent): void | Promise<void>;
  /** SHA-256 hex of the content of an archive member, null when the archive has none of that name. */
  resource(name: string): string | null;
  /** Looks on at a line of a trace file, or of the network file beside it, in the form of the latest version. */
  line?(event: Raw, line: string, file: TraceFile): void;
  /** A sentence about something that was left out or repaired. */
  warn(sentence: string): void;
}

/** One of the trace files of an archive: its name without ending, and the folder it lies in. */
export interface TraceFile {
  prefix: string;
  folder: string;
}

export interface PlaywrightResult {
  /** Highest format version among the archive's trace files. */
  version: number;
  /** Empty strings become null throughout. */
  browserName: string | null;
  channel: string | null;
  platform: string | null;
  sdkLanguage: string | null;
  playwrightVersion: string | null;
  title: string | null;
  baseURL: string | null;
  viewport: { width: number; height: number } | null;
  /** Device pixels for each of the page's; null where the browser's own was taken. */
  deviceScaleFactor: number | null;
  /** What the page was told of them; absent where the machine's own counted. */
  timezone?: string;
  locale?: string;
  /** Epoch ms; null when the archive tells no time. */
  startedAt: number | null;
  endedAt: number | null;
  /** `failed` when the runner recorded an error or, without a runner trace, any action ended in one. */
  status: "passed" | "failed";
  failure?: { step_id: string | null; message: string; stack?: StackFrame[] };
  /** Whether the archive has a trace of the test runner beside the library's. */
  hasRunner: boolean;
  /** The same sentences that went to `warn`. */
  warnings: string[];
}

/** The highest trace format version that Playwright 1.65 writes and this reader knows. */
export const LATEST_VERSION = 10;

/** The archive cannot be read. The message says what was found, where, and what would be right. */
export class PlaywrightRefusal extends Error {
  override name = "PlaywrightRefusal";
  readonly kind = "bundle_unreadable";
}
