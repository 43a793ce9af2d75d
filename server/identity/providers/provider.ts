/** A way out to somebody who says who a person is, and back. */
export interface Provider {
  kind: "sso" | "code_host";
  /** How people call it. */
  name: string;
  /**
   * Where the browser goes, and what must come back with it.
   * @throws ProviderUnreachableError
   */
  begin(redirectUri: string): Promise<{ url: URL; proof: Proof }>;
  /**
   * Who came back.
   * @param arrived the address that the browser came back to, beginning with the redirect URI
   * @throws ProviderUnreachableError, or ProviderRefusalError for an answer that cannot be trusted
   */
  finish(arrived: URL, proof: Proof): Promise<ExternalIdentity>;
}

/** What binds an answer to the browser that asked for it. */
export interface Proof {
  state: string;
  nonce: string;
  verifier: string;
}

/** A person as a provider names them. */
export interface ExternalIdentity {
  issuer: string;
  /** What never changes of them there. */
  subject: string;
  /** Their address; null when the provider has not made sure that it is theirs. */
  verifiedEmail: string | null;
  name: string | null;
}

/** The provider does not answer, or answers that it cannot. */
export class ProviderUnreachableError extends Error {
  override name = "ProviderUnreachableError";
}

/** The answer is no sign-in: a person who said no, a state of another browser, a token of another issuer. */
export class ProviderRefusalError extends Error {
  override name = "ProviderRefusalError";
}
