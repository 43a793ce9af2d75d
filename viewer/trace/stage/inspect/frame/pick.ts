import type { Direction, News } from "../protocol.ts";
import { briefOf, labelOf } from "./detail.ts";
import type { Outline } from "./outline.ts";
import { childrenOf, OWN, type PageIndex, parentOf } from "./page.ts";

/** Of what lies in one of these, it is what people mean. */
const MEANT =
  "button,select,input,textarea,a,summary,[role=button],[role=checkbox],[role=radio],[role=link],[role=tab],[role=menuitem],[role=option],[role=switch]";

const MOVES: Record<string, Direction> = {
  ArrowUp: "parent",
  ArrowDown: "child",
  ArrowLeft: "previous",
  ArrowRight: "next",
};

type Tell = <Kind extends keyof News>(kind: Kind, news: News[Kind]) => void;

/** Lets an element be chosen by pointer or keyboard. */
export function createPick(page: PageIndex, outline: Outline, tell: Tell) {
  let isOn = false;
  let scale = 1;
  let at: Element | null = null;

  function show(element: Element): void {
    at = element;
    const brief = briefOf(page, element);
    outline.draw({ elements: [element], label: labelOf(brief), isPick: true, scale });
    tell("hovered", brief);
  }

  /** The innermost element under the pointer, or the control that it is part of. */
  function under(event: Event): Element | null {
    const found = event.composedPath().find((one) => one instanceof Element && !one.hasAttribute(OWN));
    if (!(found instanceof Element)) return null;
    const meant = found.closest(MEANT) ?? found;
    return page.idOf(meant) >= 0 ? meant : null;
  }

  function stop(): void {
    isOn = false;
    at = null;
    outline.draw({ elements: [], label: null, isPick: false, scale });
  }

  function choose(element: Element | null): void {
    if (!element) return;
    stop();
    tell("chosen", page.idOf(element));
  }

  function move(direction: Direction): void {
    if (!isOn) return;
    const from = at ?? document.body ?? document.documentElement;
    const next = at ? neighbour(from, direction) : from;
    if (!next || page.idOf(next) < 0) return;
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
    show(next);
  }

  function swallow(event: Event): void {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  window.addEventListener(
    "pointermove",
    (event) => {
      const element = isOn ? under(event) : null;
      if (element && element !== at) show(element);
    },
    true,
  );
  for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "dblclick", "contextmenu"])
    addEventListener(kind, (event) => isOn && swallow(event), true);
  window.addEventListener(
    "click",
    (event) => {
      if (!isOn) return;
      swallow(event);
      choose(under(event));
    },
    true,
  );
  window.addEventListener(
    "keydown",
    (event) => {
      if (!isOn || event.ctrlKey || event.metaKey || event.altKey) return;
      const direction = MOVES[event.key];
      if (direction) move(direction);
      else if (event.key === "Enter") choose(at);
      else if (event.key === "Escape") {
        stop();
        tell("left", null);
      } else return;
      swallow(event);
    },
    true,
  );

  return {
    start(pageScale: number): void {
      isOn = true;
      scale = pageScale;
    },
    stop,
    move,
    choose: () => choose(isOn ? at : null),
  };
}

function neighbour(element: Element, direction: Direction): Element | null {
  const around = parentOf(element);
  if (direction === "parent") return around;
  if (direction === "child") return childrenOf(element)[0] ?? null;
  const siblings = around ? childrenOf(around) : [];
  return siblings[siblings.indexOf(element) + (direction === "next" ? 1 : -1)] ?? null;
}
