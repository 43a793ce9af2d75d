import type { BrowserContext, Request, Route } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import { RunnerError } from "../errors.ts";
import { addressPattern } from "../globs.ts";
import type { CloneUse } from "../language/ast.ts";
import { createEmailClone } from "./email.ts";
import { readHar } from "./har.ts";
import { answer } from "./http.ts";
import { createPaymentsClone } from "./payments.ts";
import { createRecordClone } from "./record.ts";
import type { Clone, CloneExchange, CloneRequest, CloneResponse, CloneService } from "./types.ts";

/** The clones of one run. */
export interface CloneSet {
  readonly clones: readonly Clone[];
  /** What `${clones.<name>}` stands for: `email.url`, `email.smtp`, `payments.url`, `record.url`. */
  readonly addresses: Record<string, string>;
  /** The clone that answers an address: one that a `match` means, or a clone's own. */
  at(url: string, method: string): Clone | null;
  /**
   * Lets the clones answer what the pages of a context ask, while they are open to it. Faults that are injected later
   * come first.
   */
  serve(context: BrowserContext, signal: AbortSignal, isOpen: () => boolean): Promise<void>;
  answer(clone: Clone, request: CloneRequest): Promise<CloneResponse>;
  close(): Promise<void>;
}

/** The HARs that `har:` names, by that name. */
export type Recordings = Readonly<Record<string, string>>;

export interface CloneOptions {
  recordings: Recordings;
  /**
   * Whether the real third parties are met, but sent nothing that changes them: what is no GET is answered from the
   * recording `held`.
   */
  isHeld?: boolean;
}

export const NO_CLONES: CloneSet = {
  clones: [],
  addresses: {},
  at: () => null,
  serve: async () => {},
  answer: async () => ({ status: 404, headers: {}, body: "" }),
  close: async () => {},
};

/**
 * Starts the clones that a scenario names, each on ports of its own.
 * @throws RunnerError `clone_unavailable` when one cannot be started; then none is left
 */
export async function startClones(
  named: readonly CloneUse[],
  options: CloneOptions & {
    clock: Clock;
    /** Is told what the target's server asked of a clone. */
    onExchange: (clone: CloneService, exchange: CloneExchange) => void;
  },
): Promise<CloneSet> {
  if (named.length === 0) return NO_CLONES;
  const { isHeld = false } = options;
  const uses: readonly CloneUse[] = isHeld
    ? named.map(({ match }) => ({ service: "record", match, har: "held" }))
    : named;
  const clones = new Map<CloneService, Clone>();
  const close = async () => {
    await Promise.all([...clones.values()].map((clone) => clone.close()));
  };
  try {
    for (const { service } of uses)
      if (!clones.has(service)) clones.set(service, await startClone(service, uses, options));
  } catch (cause) {
    await close();
    if (cause instanceof RunnerError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RunnerError("clone_unavailable", `A clone could not be started: ${why}`, cause);
  }
  const matches = uses.map(({ service, match }) => ({ service, pattern: addressPattern(match) }));
  const origins = new Map(
    [...clones.values()].flatMap((clone) =>
      Object.values(clone.addresses)
        .filter((address) => address.startsWith("http:"))
        .map((address) => [new URL(address).origin, clone] as const),
    ),
  );

  const at = (url: string, method: string): Clone | null => {
    if (isHeld && (method === "GET" || method === "HEAD")) return null;
    const matched = matches.find(({ pattern }) => pattern.test(url));
    if (matched) return clones.get(matched.service) ?? null;
    return origins.get(URL.parse(url)?.origin ?? "") ?? null;
  };

  return {
    clones: [...clones.values()],
    addresses: Object.assign({}, ...[...clones.values()].map(({ addresses }) => addresses)),
    at,
    answer: (clone, request) => answer(clone.handle, request),
    async serve(context, signal, isOpen) {
      await context.route(
        (url) => isOpen() && at(url.href, "POST") !== null,
        (route) => serveRoute(route, at, signal),
      );
    },
    close,
  };
}

function startClone(
  service: CloneService,
  uses: readonly CloneUse[],
  { recordings, clock, onExchange }: Parameters<typeof startClones>[1],
): Promise<Clone> {
  const options = { clock, onExchange: (exchange: CloneExchange) => onExchange(service, exchange) };
  switch (service) {
    case "email":
      return createEmailClone(options);
    case "payments":
      return createPaymentsClone(options);
    case "record": {
      const names = new Set(uses.flatMap(({ har }) => har ?? []));
      return createRecordClone(
        [...names].flatMap((name) => readRecording(name, recordings)),
        options,
      );
    }
  }
}

function readRecording(name: string, recordings: Recordings) {
  const text = Object.hasOwn(recordings, name) ? recordings[name] : undefined;
  if (text === undefined)
    throw new RunnerError("clone_unavailable", `The recorded answers ${name} are not here.`);
  try {
    return readHar(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RunnerError(
      "clone_unavailable",
      `${name} is no HAR that could be answered from: ${why}.`,
      cause,
    );
  }
}

async function serveRoute(route: Route, at: CloneSet["at"], signal: AbortSignal): Promise<void> {
  const request = route.request();
  const clone = at(request.url(), request.method());
  if (!clone) return route.fallback();
  const { status, headers, body } = await answer(clone.handle, toCloneRequest(request, signal));
  // The page may have gone on meanwhile; then nobody waits for the answer.
  await route.fulfill({ status, headers, body: Buffer.from(body as string) }).catch(() => {});
}

const toCloneRequest = (request: Request, signal: AbortSignal): CloneRequest => ({
  method: request.method(),
  url: new URL(request.url()),
  headers: request.headers(),
  body: request.postDataBuffer() ?? new Uint8Array(),
  signal,
});
