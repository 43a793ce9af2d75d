import { startCheckedProxy, type Unmade } from "../../platform/checked-proxy.ts";
import { RunnerError } from "../errors.ts";

/** What the browser and the requests of one run may connect to. */
export interface Reach {
  /** What everything goes through; null where every address may be reached. */
  readonly proxy: string | null;
  /** Lets a clone's address through, wherever it lies. */
  allow(address: string): void;
  /** Where to say, from now on, which connections were refused. */
  tell(say: (text: string) => void): void;
  /**
   * Does what connects to an address that a step names.
   * @throws RunnerError `url_not_allowed` when it failed because the address was refused; else what it throws
   */
  to<Value>(work: () => Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

/** A page may ask without end. */
const MOST_TOLD = 20;
/** In the words of Chromium, and of the client that sends requests. */
const REFUSED = /ERR_SOCKS_CONNECTION_FAILED|ERR_TUNNEL_CONNECTION_FAILED|proxy rejected connection/i;

/** Of a run that may reach every address. */
export const EVERYWHERE: Reach = {
  proxy: null,
  allow() {},
  tell() {},
  to: (work) => work(),
  close: async () => {},
};

export async function openReach({ allowPrivateTargets }: { allowPrivateTargets: boolean }): Promise<Reach> {
  if (allowPrivateTargets) return EVERYWHERE;
  const told = new Set<string>();
  /** The first that was since the step began. */
  let refused: string | null = null;
  let say = (_text: string): void => {};

  function hear({ host, port, why }: Unmade): void {
    // What else came of no connection the browser tells, of those that a page waits for.
    if (why !== "not_public") return;
    const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    refused ??= place;
    if (told.has(place) || told.size === MOST_TOLD) return;
    told.add(place);
    say(refusalOf(place));
  }

  const proxy = await startCheckedProxy(hear);
  return {
    proxy: proxy.url,
    allow: proxy.allow,
    tell(listener) {
      say = listener;
    },
    async to(work) {
      refused = null;
      try {
        return await work();
      } catch (error) {
        if (refused === null || !(error instanceof Error) || !REFUSED.test(error.message)) throw error;
        throw new RunnerError("url_not_allowed", refusalOf(refused), error);
      }
    },
    close: proxy.close,
  };
}

const refusalOf = (place: string): string =>
  `${place} is no public address, and a run of a fork's code, or any where "browser.allow_private_targets" of settings.json is false, reaches no other: nothing was connected to it.`;
