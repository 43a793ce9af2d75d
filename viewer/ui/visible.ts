/**
 * Opens now, or once the window can be seen, closes when it is hidden behind others, and so on until the returned function is
 * called, which closes. Over HTTP/1.1 a browser holds six connections to a server, those of hidden tabs among them.
 */
export function whileVisible(open: () => void, close: () => void): () => void {
  const follow = (): void => (document.visibilityState === "visible" ? open() : close());
  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    close();
  };
}
