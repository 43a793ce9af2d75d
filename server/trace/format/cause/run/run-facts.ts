import type { Normaliser } from "../../diff/normalise.ts";
import type { Header, StackFrame } from "../../event.ts";

/** Where something is in a run. */
export interface Moment {
  seq: number;
  /** Epoch ms. */
  ts: number;
  step_id: string | null;
  page: string | null;
}

/** An action or an assertion. */
export interface Step extends Moment {
  kind: string;
  name: string;
  title: string;
  /** Epoch ms. */
  end: number;
  params: Record<string, unknown>;
  isFailed: boolean;
  message: string;
  expected: string | null;
  received: string | null;
  /** Playwright's own call log. */
  log: string[];
  parent: string | null;
  /** Of the test runner: `hook`, `fixture`, `test.step`, …; null for a call of the library. */
  category: string | null;
  stack: StackFrame[];
  /** Of the error that ended it, as the engine prints it. */
  errorStack: string;
  /** What a reading call gave the test, as a text; null of any other. */
  returned: string | null;
  /** The values of the options that it picked in a list; absent of any other call. */
  picked?: readonly string[];
  /** The attribute by which it looks for test ids, where that is not Playwright's own. */
  testIdAttribute?: string;
  isUnfinished: boolean;
}

/** A request and its answer; `ts` is when it was sent. */
export interface Exchange extends Moment {
  /** Of the request's own event; null when only the answer was recorded. */
  requestSeq: number | null;
  request_id: string | null;
  method: string;
  url: string;
  /** What it asks for, where one address answers everything (GraphQL, JSON-RPC); null elsewhere. */
  operation: string | null;
  type: string | null;
  /** Null without an answer. */
  status: number | null;
  statusText: string;
  error: string | null;
  /** Epoch ms; null without an answer. */
  end: number | null;
  requestBody: string | null;
  /** Text, or a reference. */
  body: string | null;
  mediaType: string;
  /** Bytes of the body; null while it comes, and where that is not recorded. */
  size: number | null;
  requestHeaders: Header[];
  headers: Header[];
  /** Answered or ended by the test itself: `fulfilled`, `aborted`. */
  handled: string | null;
  /** Whether a server was asked just then, where the recorder tells; null where it does not. */
  fromNetwork: boolean | null;
}

export interface Line extends Moment {
  /** `error`, `warning`, … */
  level: string;
  text: string;
  /** `page` for an uncaught error; `runner`, `stdout` and `stderr` are no console. */
  source: string | null;
  url: string | null;
  /** `line:column` in that file; null when it is not known. */
  place: string | null;
  stack: string;
}

/** A page as it was. */
export interface PageShot extends Moment {
  url: string;
  html: string | null;
  snapshot: string | null;
  phase: string | null;
  frame: string | null;
}

/** One message over a WebSocket that ends it, or the first and last of the ones before. */
export interface SocketFrame extends Moment {
  request_id: string;
  opcode: number;
  direction: string;
  text: string;
}

/** Messages that a WebSocket brought to the page. */
export interface Heard {
  count: number;
  last: SocketFrame;
  /** The first and the last of the messages that are whole. */
  said: SocketFrame[];
}

/** A question over a WebSocket that its protocol numbers, and the answer to it. */
export interface SocketCall extends Moment {
  /** Of the WebSocket. */
  request_id: string;
  name: string;
  /** Null where none came. */
  answer: SocketFrame | null;
}

export interface Stored extends Moment {
  cookies: { name: string; domain: string; expires: number | null }[];
  /** `origin key` of each entry of the local storage. */
  keys: string[];
}

/** A dialog, a popup, a download, a crash: what happens to a page as a whole. */
export interface Happening extends Moment {
  what: string;
  fields: Record<string, unknown>;
}

/** An injected fault or delay, or a move of the clock. */
export interface Interference extends Moment {
  kind: string;
  url: string | null;
  value: number | null;
}

/** What of a run may tell a cause. */
export interface RunFacts {
  normaliser: Normaliser;
  firstTs: number;
  lastTs: number;
  lastSeq: number | null;
  /** Of the site under test. */
  host: string | null;
  /** With the port, where that is not the scheme's own. */
  authority: string | null;
  steps: Step[];
  exchanges: Exchange[];
  /** By what a request is called across runs. */
  readonly byKey: Map<string, Exchange[]>;
  /** To be told when requests have got other names. */
  forgetKeys(): void;
  lines: Line[];
  /** Whether a line of the console is called so across runs. Asked of passes: of most failures there is none to ask. */
  hasLine(key: string): boolean;
  pages: PageShot[];
  frames: SocketFrame[];
  /** What each WebSocket brought, by its request's id. */
  heard: Map<string, Heard>;
  /** What the page said over each WebSocket first, by its request's id. */
  spoken: Map<string, SocketFrame[]>;
  /** In the order in which they were asked. */
  calls: SocketCall[];
  stored: Stored[];
  happenings: Happening[];
  interferences: Interference[];
}
