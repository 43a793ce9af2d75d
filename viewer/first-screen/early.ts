/** A first screen before there is a viewer to take it over: what was pressed, and what is kept from it until then. */
export interface EarlyPage {
  keys: Pick<KeyboardEvent, "key" | "code" | "shiftKey" | "ctrlKey" | "metaKey">[];
  /** The last click, in CSS pixels of the window. */
  click: { x: number; y: number } | null;
  /** Leaves keys and clicks to the viewer from now on. */
  stop: () => void;
  /** Puts all of the viewer's styles in the place of those that the first screen uses. */
  dress: () => void;
}

const holder = globalThis as { tracedeckEarly?: EarlyPage };

/** To be done with the first drawing: between the two every element would be styled once more. */
export function dressFirstScreen(): void {
  holder.tracedeckEarly?.dress();
}

/** Does what was asked for while the first screen was only a picture of itself. Once. */
export function passOnEarlyInput(): void {
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
