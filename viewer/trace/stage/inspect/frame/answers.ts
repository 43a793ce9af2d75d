import { parseLocator } from "../locator/parse.ts";
import { writeLocator } from "../locator/write.ts";
import type { ElementDetail, ElementId, InnerCalls, Tell } from "../protocol.ts";
import { ancestorsOf, briefOf, detailOf, labelOf } from "./detail.ts";
import { createFrames, type Inner, isFrame, splitId } from "./frames.ts";
import { createMatcher, SelectorError } from "./match.ts";
import { createOutline } from "./outline.ts";
import { createPauses, indexPage, type Pause } from "./page.ts";
import { createPick } from "./pick.ts";
import { search } from "./search.ts";
import { frameLocator } from "./suggest.ts";
import { readTree } from "./tree.ts";

export type Answers = {
  [Name in keyof InnerCalls]: (
    ...args: Parameters<InnerCalls[Name]>
  ) => Promise<ReturnType<InnerCalls[Name]>>;
};

/** Answers for a document and, through the inspectors in its frames, for all that lies within it. */
export function createAnswers(tell: Tell, isOutermost: boolean): Answers {
  const page = indexPage();
  const outline = createOutline();
  const frames = createFrames(page, (inner, told) => pick.hear(inner, told));
  const pick = createPick({ page, outline, frames, tell, isOutermost });
  /** The newest of each long task; older ones stop. */
  const newest = { detail: 0, tree: 0, try: 0 };
  let drawnIn: readonly Inner[] = [];

  function pausesOf(task: keyof typeof newest) {
    newest[task] += 1;
    const own = newest[task];
    return createPauses(() => newest[task] !== own);
  }

  async function detailWithin(
    frame: Element,
    id: ElementId,
    testIdAttribute: string,
    pause: Pause,
  ): Promise<ElementDetail | null> {
    const inner = await frames.in(frame);
    const detail = inner && (await inner.call("detail", id, testIdAttribute));
    if (!detail) return null;
    const matcher = createMatcher(page, testIdAttribute);
    const lead = writeLocator(await frameLocator(frame, matcher, testIdAttribute, pause));
    return {
      ...detail,
      id: inner.idOf(detail.id),
      ancestors: [
        ...ancestorsOf(page, frame),
        briefOf(page, frame),
        ...detail.ancestors.map((one) => ({ ...one, id: inner.idOf(one.id) })),
      ],
      suggestions: detail.suggestions.map((one) => ({ ...one, code: `${lead}.${one.code}` })),
    };
  }

  /** Elements of this document, and those of frames by frame. */
  async function sorted(ids: readonly ElementId[]) {
    const own: Element[] = [];
    const inner = new Map<Inner, ElementId[]>();
    for (const id of ids) {
      const { own: place, rest } = splitId(id);
      const element = page.at(place);
      if (!element) continue;
      if (rest === null) own.push(element);
      else {
        const frame = await frames.in(element);
        if (frame) inner.set(frame, [...(inner.get(frame) ?? []), rest]);
      }
    }
    return { own, inner };
  }

  return {
    async start() {
      const within = await Promise.all((await frames.all()).map((inner) => inner.call("start")));
      const silent = page.elements.filter(isFrame).length - within.length;
      return {
        elements: within.reduce((sum, { elements }) => sum + elements, page.elements.length),
        silentFrames: within.reduce((sum, { silentFrames }) => sum + silentFrames, silent),
      };
    },
    async detail(id, testIdAttribute) {
      const pause = pausesOf("detail");
      const { own, rest } = splitId(id);
      const element = page.at(own);
      if (!element) return null;
      if (rest !== null) return detailWithin(element, rest, testIdAttribute, pause);
      return detailOf(element, page, createMatcher(page, testIdAttribute), testIdAttribute, pause);
    },
    tree: (most) => readTree(page, frames, most, pausesOf("tree")),
    async try(code, testIdAttribute) {
      const parsed = parseLocator(code);
      if (!parsed.isOk) throw new SelectorError(parsed.message);
      return search({ page, frames, testIdAttribute, pause: pausesOf("try") }, parsed.locator);
    },
    search: (locator, testIdAttribute) =>
      search({ page, frames, testIdAttribute, pause: pausesOf("try") }, locator),
    async outline(ids, options) {
      const { own, inner } = await sorted(ids);
      const [first] = own;
      const seen = first ?? inner.keys().next().value?.element;
      if (options.isScrolled) seen?.scrollIntoView({ block: "nearest", inline: "nearest" });
      const label = first && options.isLabelled ? labelOf(briefOf(page, first)) : null;
      outline.draw({ elements: own, label, isPick: false, scale: options.scale });
      for (const frame of drawnIn) if (!inner.has(frame)) await frame.call("outline", [], options);
      drawnIn = [...inner.keys()];
      for (const [frame, wanted] of inner) await frame.call("outline", wanted, options);
      return null;
    },
    async pick(isOn, scale) {
      if (isOn) pick.start(scale);
      else pick.stop();
      return null;
    },
    async move(direction) {
      await pick.move(direction);
      return null;
    },
    async choose() {
      pick.choose();
      return null;
    },
    async rest() {
      pick.rest();
      return null;
    },
  };
}
