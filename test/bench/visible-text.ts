import type { Frame, Page } from "playwright-core";

const LOOK_MS = 400;
const SAME = 3;
const LONGEST_MS = 15_000;

/** The text that a reader sees without a click: painted, within the window, not cut off, not covered; frames too. */
export async function visibleText(page: Page): Promise<string> {
  const texts: string[] = [];
  for (const frame of page.frames()) {
    if (frame !== page.mainFrame() && !(await isInSight(page, frame))) continue;
    texts.push(await frame.evaluate(wordsInSight).catch(() => ""));
  }
  return texts.join("\n");
}

/** The same once it has not changed for a while. */
export async function settledText(page: Page): Promise<string> {
  const deadline = performance.now() + LONGEST_MS;
  let text = await visibleText(page);
  for (let same = 0; same < SAME && performance.now() < deadline; ) {
    await Bun.sleep(LOOK_MS);
    const now = await visibleText(page);
    same = now === text && now !== "" ? same + 1 : 0;
    text = now;
  }
  return text;
}

async function isInSight(page: Page, frame: Frame): Promise<boolean> {
  const element = await frame.frameElement().catch(() => null);
  if (!element || !(await element.isVisible().catch(() => false))) return false;
  const box = await element.boundingBox().catch(() => null);
  const window = page.viewportSize();
  return Boolean(
    box && window && box.width > 1 && box.height > 1 && box.x < window.width && box.y < window.height,
  );
}

/** Runs in the page. */
function wordsInSight(): string {
  /** The part of the window that what clips an element leaves of it. */
  const clips = new Map<Element, DOMRect>();
  function clipOf(element: Element | null): DOMRect {
    if (!element) return new DOMRect(0, 0, innerWidth, innerHeight);
    const known = clips.get(element);
    if (known) return known;
    const around = clipOf(element.parentElement);
    const { overflowX, overflowY } = getComputedStyle(element);
    const own = element.getBoundingClientRect();
    const isRoot = element === document.documentElement || element === document.body;
    const [left, right] =
      overflowX === "visible" || isRoot
        ? [around.left, around.right]
        : [Math.max(around.left, own.left), Math.min(around.right, own.right)];
    const [top, bottom] =
      overflowY === "visible" || isRoot
        ? [around.top, around.bottom]
        : [Math.max(around.top, own.top), Math.min(around.bottom, own.bottom)];
    const clip = new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
    clips.set(element, clip);
    return clip;
  }
  function isPainted(element: Element, word: DOMRect): boolean {
    const hit = document.elementFromPoint(word.x + word.width / 2, word.y + word.height / 2);
    return hit === null || hit.contains(element) || element.contains(hit);
  }
  const lines: string[] = [];
  const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!element?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (/^(script|style|noscript|template)$/i.test(element.tagName)) continue;
    const clip = clipOf(element);
    const words: string[] = [];
    for (const { 0: word, index } of (node.textContent ?? "").matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const [box] = range.getClientRects();
      const isInside =
        box !== undefined &&
        box.left >= clip.left - 1 &&
        box.right <= clip.right + 1 &&
        box.top >= clip.top - 2 &&
        box.bottom <= clip.bottom + 2;
      if (isInside && isPainted(element, box)) words.push(word);
    }
    if (words.length > 0) lines.push(words.join(" "));
  }
  return lines.join("\n");
}
