import { openLine } from "../line.ts";
import { type ElementId, HELLO, type InnerCalls, type InnerNews } from "../protocol.ts";
import type { PageIndex } from "./page.ts";

/** More than this many frames of a page are passed over. */
const MOST_FRAMES = 100;
/** A frame that was recorded has loaded by the time that the page around it has. */
const READY_MS = 2000;

/** A frame of a page, and the inspector that runs in it. */
export interface Inner {
  element: Element;
  call<Name extends keyof InnerCalls>(
    name: Name,
    ...args: Parameters<InnerCalls[Name]>
  ): Promise<ReturnType<InnerCalls[Name]>>;
  /** What the page around calls an element of the frame. */
  idOf(id: ElementId): ElementId;
}

/** What the inspector of a frame told, as it came. Both ends are the same script. */
export type Told = { [Kind in keyof InnerNews]: { kind: Kind; news: InnerNews[Kind] } }[keyof InnerNews];

export const isFrame = (element: Element): boolean => /^i?frame$/.test(element.localName);

/** The place of an element in its document, and in the frame there, if it lies in one. */
export function splitId(id: ElementId): { own: number; rest: ElementId | null } {
  const dot = id.indexOf(".");
  return dot < 0
    ? { own: Number(id), rest: null }
    : { own: Number(id.slice(0, dot)), rest: id.slice(dot + 1) };
}

/** The inspectors of the frames in a page, which answer once they have been spoken to. */
export function createFrames(page: PageIndex, hear: (inner: Inner, told: Told) => void) {
  const met = new Map<Element, Promise<Inner | null>>();

  function meet(element: HTMLIFrameElement): Promise<Inner | null> {
    const { port1, port2 } = new MessageChannel();
    const { promise, resolve } = Promise.withResolvers<Inner | null>();
    const line = openLine(port1, (data) => {
      const told = data as Told;
      if (told.kind !== "ready") return hear(inner, told);
      resolve(inner);
    });
    const inner: Inner = {
      element,
      call: (name, ...args) => line.call(name, args) as Promise<never>,
      idOf: (id) => `${page.idOf(element)}.${id}`,
    };
    // Nothing but an inspected page can be in it: the policy of the page around names no other.
    element.contentWindow?.postMessage(HELLO, "*", [port2]);
    setTimeout(() => resolve(null), READY_MS);
    return promise;
  }

  for (const element of page.elements)
    if (isFrame(element) && element.hasAttribute("src") && met.size < MOST_FRAMES)
      met.set(element, meet(element as HTMLIFrameElement));

  return {
    /** The frame that an element shows; null where nothing was recorded of it. */
    in: async (element: Element): Promise<Inner | null> => (await met.get(element)) ?? null,
    /** All that are there, in document order. */
    async all(): Promise<Inner[]> {
      return (await Promise.all(met.values())).filter((inner) => inner !== null);
    },
  };
}

export type Frames = ReturnType<typeof createFrames>;
