import { OWN } from "./page.ts";

const STYLE = `
:host { all: initial !important; position: fixed !important; inset: 0 !important; width: auto !important; height: auto !important;
  pointer-events: none !important; overflow: hidden !important; background: none !important; border: 0 !important; margin: 0 !important;
  padding: 0 !important; display: block !important; }
.box { position: fixed; box-sizing: border-box; border: 2px solid #7c3aed; background: #7c3aed26; border-radius: 2px; }
.box.is-pick { border-color: #1a5fc2; background: #1a5fc233; }
.label { position: fixed; max-width: 90%; padding: .2em .5em; border-radius: .25em; background: #16202c; color: #fff;
  font: var(--size) / 1.4 ui-monospace, Menlo, Consolas, monospace; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
`;
const LABEL_SIZE = 12;
/** In a frame that is lower a label would hide what it names. */
const LABEL_ROOM = 60;

export interface Drawn {
  elements: readonly Element[];
  /** Stands at the first element. */
  label: string | null;
  isPick: boolean;
  /** By how much the viewer shrinks the page: labels grow by as much. */
  scale: number;
}

/** Draws boxes over elements, in the page yet above and apart from all of it, and keeps them in place as it scrolls. */
export function createOutline() {
  const host = document.createElement("div");
  host.setAttribute(OWN, "");
  host.popover = "manual";
  const shadow = host.attachShadow({ mode: "closed" });
  let drawn: Drawn = { elements: [], label: null, isPick: false, scale: 1 };
  let isWaiting = false;

  function box(element: Element): HTMLElement {
    const { left, top, width, height } = element.getBoundingClientRect();
    const mark = document.createElement("div");
    mark.className = drawn.isPick ? "box is-pick" : "box";
    Object.assign(mark.style, {
      left: `${left - 2}px`,
      top: `${top - 2}px`,
      width: `${width + 4}px`,
      height: `${height + 4}px`,
    });
    return mark;
  }

  function label(element: Element, text: string): HTMLElement {
    const { left, top, bottom } = element.getBoundingClientRect();
    const size = LABEL_SIZE / Math.max(0.2, drawn.scale);
    const room = size * 2.2;
    const at = top >= room ? top - room : Math.min(bottom + 4, innerHeight - room);
    const mark = document.createElement("div");
    mark.className = "label";
    mark.textContent = text;
    Object.assign(mark.style, { left: `${Math.max(0, left)}px`, top: `${Math.max(0, at)}px` });
    mark.style.setProperty("--size", `${size}px`);
    return mark;
  }

  function redraw(): void {
    isWaiting = false;
    const style = document.createElement("style");
    style.textContent = STYLE;
    const [first] = drawn.elements;
    const marks = drawn.elements.map(box);
    if (first && drawn.label && innerHeight >= LABEL_ROOM) marks.push(label(first, drawn.label));
    shadow.replaceChildren(style, ...marks);
  }

  function later(): void {
    if (isWaiting || drawn.elements.length === 0) return;
    isWaiting = true;
    requestAnimationFrame(redraw);
  }

  addEventListener("scroll", later, { capture: true, passive: true });
  addEventListener("resize", later);

  return {
    draw(next: Drawn): void {
      drawn = next;
      if (!host.isConnected) {
        document.documentElement.append(host);
        host.showPopover();
      }
      redraw();
    },
  };
}

export type Outline = ReturnType<typeof createOutline>;
