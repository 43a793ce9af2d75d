const TOO_MANY_REQUESTS = 429;
/** A request that was refused waits for less than this, its place behind others included. */
const MOST_WAIT_MS = 60_000;

/** Those that wait: each asks when the one before it has its answer. */
let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * Asks, and while the server answers 429 asks again after what `Retry-After` says (RFC 9110, section 10.2.3), for less
 * than a minute. Requests that were refused wait in one line, so that a hundred of them are no hundred at once again.
 * @param ask may be called several times
 * @returns the answer, which is the refusal where the server takes no request for too long
 */
export async function askPatiently(
  ask: () => Promise<Response>,
  signal?: AbortSignal | null,
): Promise<Response> {
  const first = await ask();
  if (waitOf(first) === null) return first;
  const until = performance.now() + MOST_WAIT_MS;
  // Whoever stands behind another learns from its own next answer how long to wait.
  const begin = waiting === 0 ? () => Promise.resolve(first) : () => again(first, ask);
  waiting += 1;
  const answer = last.then(begin).then((response) => askUntil(response, ask, until, signal));
  last = answer.catch(() => {}).finally(() => (waiting -= 1));
  return answer;
}

async function askUntil(
  refused: Response,
  ask: () => Promise<Response>,
  until: number,
  signal?: AbortSignal | null,
): Promise<Response> {
  let response = refused;
  for (;;) {
    const wait = waitOf(response);
    if (wait === null || performance.now() + wait >= until) return response;
    await pause(wait, signal);
    response = await again(response, ask);
  }
}

async function again(refused: Response, ask: () => Promise<Response>): Promise<Response> {
  await refused.body?.cancel();
  return ask();
}

/** Ms until the server takes requests again; null for an answer that is no such refusal. */
function waitOf(response: Response): number | null {
  if (response.status !== TOO_MANY_REQUESTS) return null;
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.max(1, seconds) * 1000 : null;
}

function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    function stop() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener("abort", stop, { once: true });
  });
}
