/// <reference lib="dom" />
import { record } from "rrweb";

const LOOK_MS = 100;
/** A whole picture of the document costs as much as the document: so many a document, and not more often than this. */
const MOST_PICTURES = 20;
const PICTURE_MS = 1000;
/** rrweb's numbers (its EventType and IncrementalSource). */
const INCREMENTAL = 3;
const INPUT = 5;
const STYLE_RULE = 8;

/**
 * What changes in a page without a change of its tree or an event: values that scripts set, rules of style sheets, shadow trees that
 * come late. The page's own world alone notices (`change-announcer.ts`), and announces which element to look at; what is recorded
 * is read here, so a page cannot say anything that is not so.
 */
export function followQuietChanges(
  name: string,
  {
    emit,
    mask,
    later,
    now,
  }: {
    emit: (event: unknown) => void;
    mask: (value: string, element: HTMLElement) => string;
    later: (work: () => void, ms: number) => void;
    /** Epoch ms. */
    now: () => number;
  },
): { look(): void } {
  /** With the rules of a sheet as they were told. */
  const changed = new Map<Element, string[]>();
  let isWaiting = false;
  let wantsPicture = false;
  let pictures = 0;
  let picturedAt = 0;

  const tell = (data: Record<string, unknown>) => emit({ type: INCREMENTAL, data, timestamp: now() });

  function look(): void {
    isWaiting = false;
    for (const [element, before] of changed) {
      const id = record.mirror.getId(element);
      if (id === -1) continue;
      if (isSheet(element)) tellRules(id, before, rulesOf(element));
      else tellValue(id, element);
    }
    changed.clear();
    if (!wantsPicture || pictures >= MOST_PICTURES) return;
    if (now() - picturedAt < PICTURE_MS) {
      wait();
      return;
    }
    wantsPicture = false;
    pictures += 1;
    picturedAt = now();
    record.takeFullSnapshot();
  }

  function tellValue(id: number, element: Element): void {
    if (element instanceof HTMLInputElement) {
      const isChecked = element.checked;
      if (element.type === "file") return;
      tell({ source: INPUT, id, text: mask(element.value, element), isChecked });
    } else if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) {
      tell({ source: INPUT, id, text: mask(element.value, element), isChecked: false });
    }
  }

  function tellRules(id: number, before: string[], now: string[]): void {
    let same = 0;
    while (same < Math.min(now.length, before.length) && now[same] === before[same]) same += 1;
    let tail = 0;
    const most = Math.min(now.length, before.length) - same;
    while (tail < most && now.at(-1 - tail) === before.at(-1 - tail)) tail += 1;
    const removes = before.slice(same, before.length - tail).map((_, at) => ({ index: same + at }));
    const adds = now.slice(same, now.length - tail).map((rule, at) => ({ rule, index: same + at }));
    // From the last one, so that an index means what it meant.
    if (removes.length > 0) tell({ source: STYLE_RULE, id, removes: removes.reverse() });
    if (adds.length > 0) tell({ source: STYLE_RULE, id, adds });
  }

  function wait(): void {
    if (isWaiting) return;
    isWaiting = true;
    later(look, LOOK_MS);
  }

  document.addEventListener(
    name,
    (event) => {
      const [target] = event.composedPath();
      // What is not recorded yet will be as it is then.
      if (!(target instanceof Node) || record.mirror.getId(target) === -1) return;
      const isValue =
        target instanceof HTMLInputElement ||
        target instanceof HTMLTextAreaElement ||
        target instanceof HTMLSelectElement;
      // It comes before the rules change.
      if (isSheet(target) && !changed.has(target)) changed.set(target, rulesOf(target));
      else if (isValue) changed.set(target, []);
      else if (!isSheet(target)) wantsPicture = true;
      wait();
    },
    true,
  );
  return { look };
}

const isSheet = (node: Node): node is HTMLStyleElement | HTMLLinkElement =>
  node instanceof HTMLStyleElement || node instanceof HTMLLinkElement;

/** None of a sheet of another origin, which may not be read. */
function rulesOf({ sheet }: HTMLStyleElement | HTMLLinkElement): string[] {
  try {
    return sheet ? [...sheet.cssRules].map(({ cssText }) => cssText) : [];
  } catch {
    return [];
  }
}
