import { AsyncLocalStorage } from "node:async_hooks";
import type {
  Browser,
  BrowserContext,
  BrowserType,
  CDPSession,
  ElementHandle,
  Frame,
  Locator,
  Page,
  Response,
} from "playwright-core";

/*
 * Everything for which Playwright has no public name. Its version is fixed in `package.json`. The test of this file asks each
 * name for what is relied on here, and fails first when a new version has changed one.
 */

/** A message of the DevTools protocol, either way. */
export interface ProtocolMessage {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
}

/** Both ways of a browser's messages. */
export interface Wire {
  /** To the browser. */
  send(message: ProtocolMessage): void;
  /** From the browser to Playwright. */
  receive(message: ProtocolMessage): void;
}

/**
 * What stands behind one of Playwright's objects in this process; null where another process drives the browser, and for what has gone,
 * of which there may still be news to come: Playwright throws for that.
 */
function findImpl<T>(thing: object): T | null {
  const { _connection } = thing as { _connection?: { toImpl?: (thing: unknown) => T } };
  try {
    return _connection?.toImpl?.(thing) ?? null;
  } catch {
    return null;
  }
}

/** @throws where another process drives the browser, and for what has gone */
function implOf<T>(thing: object): T {
  const impl = findImpl<T>(thing);
  if (!impl)
    throw new Error("Target page, context or browser has been closed, or is not driven from this process.");
  return impl;
}

interface Connection {
  dispatch(message: { id?: number }): void;
  _callbacks: Map<number, { reject(error: Error): void }>;
}

const guarded = new WeakSet<Connection>();

/**
 * An answer may name what has gone since it was made, while the recording still looked at what the call had done.
 * Playwright throws then where nobody can catch it, and whoever called waits for good: from here on such a call fails.
 * @param thing any of Playwright's objects
 */
export function failLostCalls(thing: object): void {
  const { _connection: connection } = thing as { _connection: Connection };
  if (guarded.has(connection)) return;
  guarded.add(connection);
  const dispatch = connection.dispatch.bind(connection);
  connection.dispatch = (message) => {
    const call = message.id === undefined ? undefined : connection._callbacks.get(message.id);
    try {
      dispatch(message);
    } catch (error) {
      if (!call) throw error;
      call.reject(new Error("Target page, context or browser has been closed", { cause: error }));
    }
  };
}

/** Switches that Playwright itself gives a browser of this type. */
export const defaultArguments = (type: BrowserType): string[] =>
  implOf<{ _innerDefaultArgs(options: object): string[] }>(type)._innerDefaultArgs({});

/** Names a context in the DevTools protocol. Null for other browsers than Chromium, and where another process drives it. */
export const contextIdOf = (context: BrowserContext): string | null =>
  findImpl<{ _browserContextId?: string }>(context)?._browserContextId ?? null;

/**
 * Stands between Playwright and its browser. Whoever comes later stands nearer to Playwright.
 * @param between gets the ways as they are, and gives those that are to take their place
 * @returns false, with nothing done, where another process drives the browser or its connection is closed
 */
export function interceptMessages(browser: Browser, between: (wire: Wire) => Partial<Wire>): boolean {
  const transport = findImpl<{
    _connection?: { _transport?: { send: Wire["send"]; onmessage?: Wire["receive"] } };
  }>(browser)?._connection?._transport;
  if (!transport?.onmessage) return false;
  const { send, receive } = between({
    send: transport.send.bind(transport),
    receive: transport.onmessage.bind(transport),
  });
  if (send) transport.send = send;
  if (receive) transport.onmessage = receive;
  return true;
}

/** Runs work within one of Playwright's zones. */
export type Within = <T>(work: () => T) => T;

/**
 * A zone of Playwright's in which calls are its own: it keeps them out of the archive and takes no stack of them. Calls made
 * within a zone belong to the call that it was made for, which here is none. Where there are no zones, work is done as it is.
 */
export async function openInternalZone(context: BrowserContext): Promise<Within> {
  const { _wrapApiCall: wrap } = context as unknown as {
    _wrapApiCall?: (work: () => Promise<Within>, options: { internal: boolean }) => Promise<Within>;
  };
  if (!wrap) return (work) => work();
  return wrap.call(context, async () => AsyncLocalStorage.snapshot(), { internal: true });
}

/**
 * Has a context's trace write its lines when there are many of them, and when it ends: Playwright opens its file anew for each one, so
 * that another program can look on.
 */
export function writeTraceLate({ tracing }: BrowserContext): void {
  const files = findImpl<{ _fs?: { appendFile(file: string, text: string, isAtOnce?: boolean): void } }>(
    tracing,
  )?._fs;
  if (!files) return;
  const append = files.appendFile.bind(files);
  files.appendFile = (file, text) => append(file, text, false);
}

/** A file of a trace as Playwright has written it. */
export interface TraceFile {
  name: string;
  path: string;
}

interface Packer {
  zip(options: { entries: { name: string; value: string }[] }): Promise<unknown>;
}

/** The thing, but for one name. What it sets of itself is set as ever. */
const withOther = <T extends object>(thing: T, name: string, instead: unknown): T =>
  new Proxy(thing, {
    get: (target, key, receiver) => (key === name ? instead : Reflect.get(target, key, receiver)),
  });

/**
 * Ends a context's trace and leaves its files as they are: to pack them takes longer than to end it. They go with the context.
 * @param path of a zip file, in which is what has no file of its own; where Playwright does not let us, all of it
 * @throws what `tracing.stop` throws
 */
export async function stopTracing({ tracing }: BrowserContext, path: string): Promise<TraceFile[]> {
  const files: TraceFile[] = [];
  const { _connection: connection } = tracing as unknown as {
    _connection?: { localUtils?: () => (Packer & object) | undefined };
  };
  const packer = connection?.localUtils?.();
  if (!connection || !packer?.zip) {
    await tracing.stop({ path });
    return files;
  }
  const zip: Packer["zip"] = ({ entries, ...options }) => {
    files.push(...entries.map(({ name, value }) => ({ name, path: value })));
    return packer.zip({ ...options, entries: [] });
  };
  const unpacking = withOther(connection, "localUtils", () => withOther(packer, "zip", zip));
  await tracing.stop.call(withOther(tracing, "_connection", unpacking), { path });
  return files;
}

/** The way of a session to the browser without the checks, copies and stacks of public calls; null where there is none. */
export function directSendOf(session: CDPSession): CDPSession["send"] | null {
  const impl = findImpl<{ _send?: CDPSession["send"] }>(session);
  return (impl?._send?.bind(impl) as CDPSession["send"] | undefined) ?? null;
}

/** An answer that is going to be read. */
export interface OpenAnswer {
  headers(): Promise<{ name: string; value: string }[]>;
  body(): Promise<Buffer>;
  /** Its body is not kept any more for whoever else reads it. */
  release(): void;
}

/**
 * From here on the browser is asked for an answer's body once, whoever reads it and how often: Playwright's trace does too. It is asked
 * without the checks, copies and stacks of public calls, where there is such a way.
 */
export function openAnswer(response: Response): OpenAnswer {
  const impl = findImpl<{
    internalRawResponseHeaders?: OpenAnswer["headers"];
    internalBody?: OpenAnswer["body"];
    _getResponseBodyCallback?: OpenAnswer["body"];
  }>(response);
  const read = impl?._getResponseBodyCallback;
  if (!impl?.internalRawResponseHeaders || !impl.internalBody || !read)
    return { headers: () => response.headersArray(), body: () => response.body(), release() {} };
  let kept: Promise<Buffer> | null = null;
  impl._getResponseBodyCallback = () => {
    kept ??= read();
    return kept;
  };
  return {
    headers: impl.internalRawResponseHeaders.bind(impl),
    body: impl.internalBody.bind(impl),
    release() {
      impl._getResponseBodyCallback = read;
      kept = null;
    },
  };
}

/** Playwright's own session with a page. */
export interface MainSession {
  send(method: string, params: Record<string, unknown>): Promise<unknown>;
  /** Hands over each message before Playwright gets it; `pass` gives it to Playwright. */
  intercept(hear: (message: ProtocolMessage, pass: () => void) => void): void;
  /** The world in each of the page's documents that Playwright asks them in, and no page can enter. */
  world: {
    name: string;
    /** In the main frame. @throws when the page is left meanwhile, or the expression throws */
    evaluate(expression: string): Promise<unknown>;
  };
}

/** Chromium's pages have one. @throws where another process drives the browser */
export function mainSessionOf(page: Page): MainSession {
  const impl = implOf<{
    delegate: {
      utilityWorldName: string;
      _mainFrameSession: {
        _client: { send: MainSession["send"]; _onMessage(message: ProtocolMessage): void };
      };
    };
    mainFrame(): {
      utilityContext(): Promise<{ rawEvaluateJSON(expression: string): Promise<unknown> }>;
    };
  }>(page);
  const client = impl.delegate._mainFrameSession._client;
  return {
    send: (method, params) => client.send(method, params),
    intercept(hear) {
      const receive = client._onMessage.bind(client);
      client._onMessage = (message) => hear(message, () => receive(message));
    },
    world: {
      name: impl.delegate.utilityWorldName,
      evaluate: async (expression) => (await impl.mainFrame().utilityContext()).rawEvaluateJSON(expression),
    },
  };
}

/**
 * Asks the elements that a locator fits, in the world where Playwright looks for elements.
 * @param read source of a function of `{ elements }`
 * @returns null when it fits none, and when the page went on or a frame within it went away meanwhile
 */
export async function askElements(locator: Locator, read: string): Promise<unknown> {
  const { _frame, _selector: selector } = locator as unknown as { _frame: Frame; _selector: string };
  const isWithin = _frame.parentFrame() !== null;
  const frame = implOf<{
    selectors: {
      callOnSelector(
        target: { selector: string; strict: boolean },
        read: string,
        argument: null,
      ): Promise<{ result: unknown } | null>;
    };
    /** Whether asking once more would end the same. */
    isNonRetriableError(error: unknown): boolean;
    /** True before `_frame` says so. */
    _isDetached(): boolean;
  }>(_frame);
  try {
    const found = await frame.selectors.callOnSelector({ selector, strict: false }, read, null);
    return found?.result ?? null;
  } catch (error) {
    const hasGone = isWithin && frame._isDetached();
    if (!hasGone && frame.isNonRetriableError(error)) throw error;
    return null;
  }
}

/** What Playwright has in the world of its own that it asks documents in. */
export interface Injected {
  /** Focuses the field and selects what is in it, or sets those that nothing is typed into. @throws for what is no field */
  fill(node: Element, value: string): "needsinput" | "done" | typeof DISCONNECTED;
  focusNode(node: Element, resetSelection: boolean): unknown;
}

export type InDocument<A, R> = (given: [injected: Injected, node: Element, argument: A]) => R;

/** Answers for an element whose document is no more. */
export const DISCONNECTED = "error:notconnected";

/** Asks the document of an element, in a world that its page has no hand in. */
export const askDocument = <A, R>(
  handle: ElementHandle,
  here: InDocument<A, R>,
  argument: A,
): Promise<R | typeof DISCONNECTED> =>
  implOf<{
    evaluateInUtility(here: InDocument<A, R>, argument: A): Promise<R | typeof DISCONNECTED>;
  }>(handle).evaluateInUtility(here, argument);

/** What a worker of Playwright's test runner tells its runner when a step begins. */
export interface BegunStep {
  stepId: string;
  parentStepId?: string;
  title: string;
  subtitle?: string;
  category: string;
  params?: Record<string, unknown>;
  location?: { file: string; line: number; column: number };
}

export interface EndedStep {
  stepId: string;
  error?: StepError;
}

export interface StepError {
  message?: string;
  stack?: string;
  value?: string;
}

interface StepListeners {
  onStepBegin: (step: BegunStep) => void;
  onStepEnd: (step: EndedStep) => void;
}

/**
 * Hears what the test runner is told of a test's steps, and changes nothing for the runner. The worker keeps whom it tells in
 * an object of their own, in older releases (1.50) on the test itself. With a Playwright that has neither nothing is heard.
 * @param testInfo Playwright's `TestInfo`
 * @returns ends it
 */
export function hearSteps(
  testInfo: object,
  begin: (step: BegunStep) => void,
  end: (step: EndedStep) => void,
): () => void {
  const tellers = testInfo as {
    _callbacks?: StepListeners;
    _onStepBegin?: StepListeners["onStepBegin"];
    _onStepEnd?: StepListeners["onStepEnd"];
  };
  const { _callbacks: callbacks, _onStepBegin: onBegin, _onStepEnd: onEnd } = tellers;
  if (callbacks) {
    const { onStepBegin, onStepEnd } = callbacks;
    callbacks.onStepBegin = both(onStepBegin, begin);
    callbacks.onStepEnd = both(onStepEnd, end);
    return () => Object.assign(callbacks, { onStepBegin, onStepEnd });
  }
  if (!onBegin || !onEnd) return () => {};
  tellers._onStepBegin = both(onBegin, begin);
  tellers._onStepEnd = both(onEnd, end);
  return () => Object.assign(tellers, { _onStepBegin: onBegin, _onStepEnd: onEnd });
}

function both<T>(first: (given: T) => void, second: (given: T) => void): (given: T) => void {
  return (given) => {
    first(given);
    second(given);
  };
}
