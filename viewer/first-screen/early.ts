/** What was pressed before there was a viewer to take it. */
export interface EarlyInput {
  keys: Pick<KeyboardEvent, "key" | "code" | "shiftKey" | "ctrlKey" | "metaKey">[];
  /** The last click, in CSS pixels of the window. */
  click: { x: number; y: number } | null;
  /** Leaves keys and clicks to the viewer from now on. */
  stop: () => void;
}

/** Does what was asked for while the first screen was only a picture of itself. Once. */
export function passOnEarlyInput(): void {
  const holder = globalThis as { tracedeckEarly?: EarlyInput };
  const early = holder.tracedeckEarly;
  if (!early) return;
  delete holder.tracedeckEarly;
  early.stop();
  for (const key of early.keys)
    document.body.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }));
  const under = early.click && document.elementFromPoint(early.click.x, early.click.y);
  if (under instanceof HTMLElement || under instanceof SVGElement)
    under.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window }));
}
