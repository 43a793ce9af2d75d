/** How long a session lives after it was last seen. */
export const SESSION_MS = 30 * 24 * 60 * 60_000;

const NAME = "product_session";

/** The session token in a `Cookie` header; null when there is none. */
export function readSessionCookie(header: string): string | null {
  for (const part of header.split(";")) {
    const [name, value] = part.trim().split("=", 2);
    if (name === NAME && value) return value;
  }
  return null;
}

/** `Set-Cookie` for a session token; an empty one ends the session in the browser. */
export function sessionCookie(token: string, isSecure: boolean): string {
  const life = token === "" ? 0 : SESSION_MS / 1000;
  return `${NAME}=${token}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}
