/** What fields and parameters that hold a secret are called, as a part of a regular expression. */
export const SECRET_NAMES =
  "password|passwd|pwd|secret|client_secret|token|access_token|refresh_token|id_token|api_?key|authorization|proxy-authorization|cookie|set-cookie|x-api-key";
