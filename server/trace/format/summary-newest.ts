/** What is recorded of a page at a moment: a picture, or the page itself. */
interface OfPage {
  ts: number;
  page?: string;
}

const MAX_PAGES = 64;

/** The newest of what is recorded page by page, in bounded memory. */
export function createNewest<Item extends OfPage>() {
  const byPage = new Map<string, Item>();
  let latest: Item | null = null;
  return {
    get latest() {
      return latest;
    },
    add(item: Item) {
      if (!latest || item.ts >= latest.ts) latest = item;
      if (item.page === undefined) return;
      byPage.delete(item.page);
      byPage.set(item.page, item);
      if (byPage.size > MAX_PAGES) byPage.delete(byPage.keys().next().value as string);
    },
    /** The newest up to a moment: of that page if there is one, else of any. */
    before(moment: number, page: string | null): Item | null {
      const own = page === null ? undefined : byPage.get(page);
      if (own && own.ts <= moment) return own;
      return latest && latest.ts <= moment ? latest : null;
    },
  };
}

/** Whether an item stands nearer to what happened on a page than the one that is held for it; both came before it. */
export function isNearer<Item extends OfPage>(item: Item, held: Item | null, page: string | null): boolean {
  if (!held) return true;
  const isOtherPage = page !== null && item.page !== page && held.page === page;
  if (isOtherPage) return false;
  return item.ts >= held.ts || (page !== null && held.page !== page && item.page === page);
}
