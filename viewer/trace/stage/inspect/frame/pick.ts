import type { Direction, PickKey, Tell } from "../protocol.ts";
import { briefOf, labelOf } from "./detail.ts";
import type { Frames, Inner, Told } from "./frames.ts";
import type { Outline } from "./outline.ts";
import { childrenOf, OWN, type PageIndex, parentOf } from "./page.ts";

/** Of what lies in one of these, it is what people mean. */
const MEANT =
  "button,select,input,textarea,a,summary,[role=button],[role=checkbox],[role=radio],[role=link],[role=tab],[role=menuitem],[role=option],[role=switch]";

const KEYS: Record<string, PickKey> = {
  ArrowUp: "parent",
  ArrowDown: "child",
  ArrowLeft: "previous",
  ArrowRight: "next",
  Enter: "choose",
  Escape: "leave",
};

interface PickOptions {
  page: PageIndex;
  outline: Outline;
  frames: Frames;
  tell: Tell;
  /** Whether no frame is around, so that the viewer hears what is told. */
  isOutermost: boolean;
}

/**
 * Lets an element be chosen by pointer or keyboard. Pointers are heard by the inspector of the frame that they are in; keys
 * go to the outermost one, which hands them to the frame that the pick is in.
 */
export function createPick({ page, outline, frames, tell, isOutermost }: PickOptions) {
  let isOn = false;
  let scale = 1;
  let at: Element | null = null;
  /** The frame that the pick is in, if not in this document itself. */
  let inner: Inner | null = null;

  async function toAll(isPicking: boolean): Promise<void> {
    for (const one of await frames.all()) if (isPicking === isOn) void one.call("pick", isPicking, scale);
  }

  function show(element: Element): void {
    void inner?.call("rest");
    inner = null;
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

  function clear(): void {
    at = null;
    outline.draw({ elements: [], label: null, isPick: false, scale });
  }

  function stop(): void {
    isOn = false;
    inner = null;
    clear();
    void toAll(false);
  }

  /** The pick has gone elsewhere. */
  function rest(): void {
    void inner?.call("rest");
    inner = null;
    clear();
  }

  function choose(element: Element | null): void {
    if (!element) return;
    stop();
    tell("chosen", String(page.idOf(element)));
  }

  async function move(direction: Direction): Promise<void> {
    if (!isOn) return;
    if (inner) {
      await inner.call("move", direction);
      return;
    }
    const entered = at && direction === "child" ? await frames.in(at) : null;
    if (entered) {
      await entered.call("move", direction);
      return;
    }
    const isOver = at !== null && direction === "parent" && parentOf(at) === null;
    if (isOver && !isOutermost) return tell("out", null);
    const from = at ?? document.body ?? document.documentElement;
    const next = at ? neighbour(from, direction) : from;
    if (!next || page.idOf(next) < 0) return;
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
    show(next);
  }

  function press(key: PickKey): void {
    if (!isOutermost) tell("key", key);
    else if (key === "choose") chooseHere();
    else if (key !== "leave") void move(key);
    else {
      stop();
      tell("left", null);
    }
  }

  function chooseHere(): void {
    if (inner) void inner.call("choose");
    else if (isOn) choose(at);
  }

  /** What the inspector of a frame says of the pick. */
  function hear(from: Inner, told: Told): void {
    if (told.kind === "hovered") {
      if (inner && inner !== from) void inner.call("rest");
      inner = from;
      clear();
      tell("hovered", { ...told.news, id: from.idOf(told.news.id) });
    } else if (told.kind === "chosen") {
      stop();
      tell("chosen", from.idOf(told.news));
    } else if (told.kind === "key") press(told.news);
    else if (told.kind === "out") {
      from.element.scrollIntoView({ block: "nearest", inline: "nearest" });
      show(from.element);
    }
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
      const key = KEYS[event.key];
      if (!key) return;
      press(key);
      swallow(event);
    },
    true,
  );

  return {
    start(pageScale: number): void {
      isOn = true;
      scale = pageScale;
      void toAll(true);
    },
    stop,
    move,
    rest,
    choose: chooseHere,
    hear,
  };
}

function neighbour(element: Element, direction: Direction): Element | null {
  const around = parentOf(element);
  if (direction === "parent") return around;
  if (direction === "child") return childrenOf(element)[0] ?? null;
  const siblings = around ? childrenOf(around) : [];
  return siblings[siblings.indexOf(element) + (direction === "next" ? 1 : -1)] ?? null;
}
