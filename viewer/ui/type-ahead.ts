/**
 * Keeps back what is typed for a field whose script is on its way, so that no key of it is taken by the page behind.
 * @param onEscape the wish is taken back; nothing is kept back any more
 * @returns lets the keys go their way again; answers what was typed, "" the second time
 */
export function holdKeys(onEscape: () => void): () => string {
  let typed = "";
  function hold(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key === "Backspace") typed = typed.slice(0, -1);
    else if (event.key.length === 1) typed += event.key;
    else if (event.key === "Escape") {
      take();
      onEscape();
    }
  }
  function take(): string {
    removeEventListener("keydown", hold, true);
    const all = typed;
    typed = "";
    return all;
  }
  addEventListener("keydown", hold, true);
  return take;
}
