/** A year (RFC 6797): to whoever came by https, the name of this server is reached by https only. */
export const STRICT_TRANSPORT = { "strict-transport-security": "max-age=31536000" };

/** What every answer carries. */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    // Links with a signature or a code must not travel to other sites.
    "referrer-policy": "same-origin",
  };
}
