import type { Evidence, SeenPage } from "../types.ts";

/** Attributes that name another element of the page by its id (HTML, 2.3.9; WAI-ARIA 1.2, 6.2.4). */
const BY_ID =
  /^(?:for|form|list|popovertarget|commandfor|aria-(?:controls|labelledby|describedby|owns|details|errormessage))$/;
/** Attributes that name it by a selector, of libraries as well, or by a fragment. */
const BY_SELECTOR =
  /^(?:href|hx-(?:target|include|indicator|select|sync)\b.*|data-(?:bs-)?(?:target|parent))$/;

/** The id that an attribute refers to; null where it refers to none, or to several. */
function idIn(name: string, value: string | undefined): string | null {
  const form = BY_ID.test(name) ? /^([\w-]{1,100})$/ : BY_SELECTOR.test(name) ? /^#([\w-]{1,100})$/ : null;
  return form?.exec(value?.trim() ?? "")?.[1] ?? null;
}

/** Whether an attribute refers to an id that no element of the page has, and referred in the passes to one that an element has. */
export function refersToNothing(
  { run, passes }: Evidence,
  name: string,
  now: string | undefined,
  before: string | undefined,
): boolean {
  const [mine, theirs] = [idIn(name, now), idIn(name, before)];
  if (mine === null || theirs === null || !run.page) return false;
  const pages = passes.flatMap(({ page }) => page ?? []);
  return !hasId(run.page, mine) && [run.page, ...pages].some((page) => hasId(page, theirs));
}

const hasId = ({ elements }: SeenPage, id: string): boolean =>
  elements.some(({ attributes }) => attributes.id === id);
