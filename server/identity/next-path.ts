/** Where to go after signing in: a path of this server, as it may stand in a header, else its first page. */
export function safeNext(next: string | undefined): string {
  if (!next || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next)) return "/";
  const here = "http://localhost";
  const url = URL.canParse(next, here) ? new URL(next, here) : null;
  if (url?.origin !== here || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}
