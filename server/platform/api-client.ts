/** Requests of the command line to a Tracedeck server, running or in this very process. */
export interface ApiClient {
  /** Sends a request to a path of the server with the caller's key. Redirects are answers, not followed. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** A client of the server at an address. @throws the system's error when nothing answers there. */
export function createApiClient(options: { url: string; apiKey: string; orgId?: string }): ApiClient {
  return {
    request(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${options.apiKey}`);
      if (options.orgId) headers.set("x-org-id", options.orgId);
      return fetch(new URL(path, options.url), { redirect: "manual", ...init, headers });
    },
  };
}

/** What the health check of an address answers, and where it leads to; or why nothing does. */
export async function probe(url: string, timeoutMs = 5000): Promise<Response | Error> {
  try {
    return await fetch(new URL("/health", url), {
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Whether a Tracedeck server answers at an address, within `timeoutMs`. */
export async function isServerAt(url: string, timeoutMs = 2000): Promise<boolean> {
  try {
    const response = await fetch(new URL("/health", url), { signal: AbortSignal.timeout(timeoutMs) });
    return response.ok;
  } catch {
    // Refused, reset or silent: nobody is there.
    return false;
  }
}
