import type { Locator } from "./locator/model.ts";

/** What the viewer and the inspector in a recorded page say to each other, over a port that the viewer made. */

/** Its first message, which carries the port. */
export const HELLO = "tracedeck-inspect-1";

/**
 * An element: its place among all elements of its document, in document order, shadow roots included (`12`). One in a frame
 * has the places of the frames that it lies in before its own (`7.12`).
 */
export type ElementId = string;

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What a reader is told of an element at a glance. */
export interface Brief {
  id: ElementId;
  /** As CSS would name it: `button#pay`. */
  tag: string;
  role: string | null;
  name: string;
}

export interface Suggestion {
  /** JavaScript of a Playwright locator. */
  code: string;
  /** The same as the target of a scenario step, where the language has one. */
  target: string | null;
  /** How many elements of the page it finds. */
  count: number;
}

export interface ElementDetail extends Brief {
  description: string;
  states: string[];
  value: string | null;
  text: string;
  box: Box;
  attributes: [name: string, value: string][];
  suggestions: Suggestion[];
  /** From the page's root to its parent. */
  ancestors: Brief[];
  isHidden: boolean;
}

/** A line of the accessibility tree. */
export interface TreeNode {
  id: ElementId;
  depth: number;
  /** `text` for text that stands by itself. */
  role: string;
  name: string;
  states: string[];
  /** A field's value, or the only text within. */
  value: string | null;
}

export interface Tree {
  nodes: TreeNode[];
  /** Elements that were not looked at, once the tree was full. */
  leftOut: number;
}

export interface Near extends Brief {
  code: string;
}

export interface Tried {
  /** In document order, at most `MOST_SHOWN`. */
  matches: Brief[];
  total: number;
  /** How many elements were left after each call of the chain. */
  steps: { code: string; count: number }[];
  /** What comes closest, when nothing matches. */
  near: Near[];
}

export type Direction = "parent" | "child" | "next" | "previous";

/** How outlines are drawn. `scale` is the factor by which the viewer shows the page. */
export interface OutlineOptions {
  isScrolled: boolean;
  isLabelled: boolean;
  scale: number;
}

/** Calls of the viewer, each answered once. */
export interface Calls {
  /** How many elements the page has, and how many frames in it show nothing that could be searched. */
  start: () => { elements: number; silentFrames: number };
  detail: (id: ElementId, testIdAttribute: string) => ElementDetail | null;
  tree: (mostNodes: number) => Tree;
  try: (code: string, testIdAttribute: string) => Tried;
  /** Outlines elements; none takes the outlines away. */
  outline: (ids: ElementId[], options: OutlineOptions) => null;
  /** Begins or ends picking. `scale` is the factor by which the viewer shows the page. */
  pick: (isOn: boolean, scale: number) => null;
  /** Moves the pick from where it is, by keyboard. */
  move: (direction: Direction) => null;
  /** Chooses what the pick is at. */
  choose: () => null;
}

/** What the inspector of a page says to those of the frames within it. */
export interface InnerCalls extends Calls {
  /** What a locator finds that has been read already. */
  search: (locator: Locator, testIdAttribute: string) => Tried;
  /** The pick is elsewhere now. */
  rest: () => null;
}

/** What the inspector tells unasked. */
export interface News {
  hovered: Brief;
  chosen: ElementId;
  /** Escape was pressed. */
  left: null;
}

export type PickKey = Direction | "choose" | "leave";

/** What the inspector of a frame tells the one of the page around it. */
export interface InnerNews extends News {
  /** It answers from now on. */
  ready: null;
  /** A key of the pick was pressed. */
  key: PickKey;
  /** The pick goes out of the frame. */
  out: null;
}

/** Sends news outward, to the viewer. */
export type Tell = <Kind extends keyof InnerNews>(kind: Kind, news: InnerNews[Kind]) => void;

export const MOST_SHOWN = 200;
export const MOST_NEAR = 5;
export const LONGEST_TEXT = 500;
