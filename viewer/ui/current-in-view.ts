import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Where a navigation has no room for all its places, the one at hand is in the middle of what is seen. */
export function useCurrentInView(nav: RefObject<HTMLElement | null>, page: string): void {
  useLayoutEffect(() => {
    const place = nav.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (!nav.current || !place) return;
    const [whole, here] = [nav.current.getBoundingClientRect(), place.getBoundingClientRect()];
    nav.current.scrollLeft += here.left + here.width / 2 - (whole.left + whole.width / 2);
  }, [page]);
}
