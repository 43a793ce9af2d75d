import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** While this is on, hidden places count as shown: their widths are read. */
const MEASURING = "is-measuring";

/** How many of the first places have room. @param rest what leads to the others, when not all have */
function countFitting(row: HTMLElement, rest: HTMLElement): number {
  row.classList.add(MEASURING);
  const places = [...row.querySelectorAll<HTMLElement>("[data-place]")].map((place) =>
    place.getBoundingClientRect(),
  );
  const { left, width } = row.getBoundingClientRect();
  const room = width - Number.parseFloat(getComputedStyle(row).paddingRight);
  const taken = rest.getBoundingClientRect().width;
  row.classList.remove(MEASURING);
  const within = (end: number): number => {
    const cut = places.findIndex(({ right }) => right - left > end + 0.5);
    return cut < 0 ? places.length : cut;
  };
  const all = within(room);
  return all === places.length ? all : within(room - taken);
}

/**
 * How many places of a navigation fit in its row; those after them go into a menu. Places say so by `data-place`, and
 * are hidden by `hidden`. All of them fit until the row was measured, and where nothing is laid out.
 */
export function useFitting(row: RefObject<HTMLElement | null>, rest: RefObject<HTMLElement | null>): number {
  const [count, setCount] = useState(Number.POSITIVE_INFINITY);
  const measure = (): void => {
    if (row.current && rest.current) setCount(countFitting(row.current, rest.current));
  };
  // What is drawn anew may be wider.
  useLayoutEffect(measure);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    // The row is as wide as what fits: room that comes back is seen at what it lies in.
    for (const watched of [row.current, row.current?.parentElement]) if (watched) observer.observe(watched);
    return () => observer.disconnect();
  }, []);
  return count;
}
