import type { BrowserContext, Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { NetworkCapture } from "../capture/network.ts";
import type { Recorder } from "../capture/recorder.ts";
import type { CloneSet } from "../clones/set.ts";
import type { Playback } from "../playback/playback.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { TypedValues } from "../redaction/typed.ts";
import type { Elements } from "./heal.ts";
import type { Injections } from "./injections.ts";
import type { Reach } from "./reach.ts";
import type { SecretRules } from "./secret-origins.ts";
import type { Thinking } from "./thought.ts";
import type { Values } from "./values.ts";

/** What steps act on and with. */
export interface Environment {
  context: BrowserContext;
  /** The page that people would look at: the newest one that is open. @throws StepFailure when all are closed */
  page(): Page;
  values: Values;
  secretRules: SecretRules;
  recorder: Recorder;
  redactor: Redactor;
  typed: TypedValues;
  /** Ids of the steps that typed something which nobody is to read. */
  hiddenSteps: Set<string>;
  network: NetworkCapture;
  clones: CloneSet;
  reach: Reach;
  elements: Elements;
  /** Of the step that is under way. */
  thinking: Thinking;
  injections: Injections;
  /** What a replay is served before its first live step; null for every other run. */
  playback: Playback | null;
  clock: Clock;
  /** Origins that get no synthetic header. */
  excludeOrigins: ReadonlySet<string>;
  /** What requests go through; null for none. */
  proxy: string | null;
  /** What `go to` and `request` start from. */
  baseUrl: string | null;
  /** The folder that `upload` takes files from; null when the run has none. */
  filesFolder: string | null;
  signal: AbortSignal;
  /** The JSON of the last `request`. */
  lastResponse: { value: unknown } | null;
}

/** How long a step may still wait. */
export interface Deadline {
  /** ms, at least 1: Playwright takes 0 for "for ever". */
  remaining(): number;
  isOver(): boolean;
  /** Gives the step its whole time once more. */
  renew(): void;
  /** Waits for the work, but no longer than the step may, nor than `atMost` ms: then null. */
  race<T>(work: Promise<T>, atMost?: number): Promise<T | null>;
  pause(ms: number): Promise<void>;
}

/** A page is asked also when the step's time is over: what it shows then is half of the answer. */
const ASK_MS = 500;

/** @param signal ends pauses early */
export function createDeadline(clock: Clock, ms: number, signal: AbortSignal): Deadline {
  let end = clock.monotonic() + ms;
  const remaining = () => Math.max(1, end - clock.monotonic());
  return {
    remaining,
    isOver: () => clock.monotonic() >= end,
    renew() {
      end = clock.monotonic() + ms;
    },
    async race(work, atMost = Number.POSITIVE_INFINITY) {
      const over = new AbortController();
      const late = clock.sleep(Math.min(atMost, Math.max(ASK_MS, remaining())), over.signal).then(() => null);
      try {
        return await Promise.race([work, late]);
      } finally {
        over.abort();
      }
    },
    pause: (pauseMs) => clock.sleep(Math.min(pauseMs, remaining()), signal),
  };
}
