/** Links that carry their own, expiring permission to one file (HMAC-SHA256 over path, parameters and expiry). */
export interface SignedUrls {
  /**
   * Absolute URL for a path of this server. Lives `config.settings.signed_url_seconds`.
   * `base` is the origin the client used, so that the link works from where it came.
   */
  sign(base: string, path: string, params?: Record<string, string>): string;
  /** @throws AppError `signature_invalid` when the URL was altered or has expired. */
  verify(url: URL): void;
}
