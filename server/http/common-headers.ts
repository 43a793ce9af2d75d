/** What every answer carries. */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    // Links with a signature or a code must not travel to other sites.
    "referrer-policy": "same-origin",
  };
}
