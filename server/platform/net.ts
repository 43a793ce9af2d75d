/** Outgoing requests to addresses that a user gave. */
export interface Net {
  /**
   * GETs an http(s) URL: resolves the host, refuses addresses that are not public (or loopback and private ones, unless
   * settings allow them), connects to the checked address, follows no redirect.
   * @throws AppError `url_not_allowed`-style refusals as `invalid_request`.
   */
  get(url: string, options: { signal: AbortSignal; maxBytes: number }): Promise<Response>;
}
