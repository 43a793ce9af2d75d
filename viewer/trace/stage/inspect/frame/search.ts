import type { Locator } from "../locator/model.ts";
import { writeLocator } from "../locator/write.ts";
import { MOST_NEAR, MOST_SHOWN, type Near, type Tried } from "../protocol.ts";
import { briefOf } from "./detail.ts";
import { type Frames, type Inner, isFrame } from "./frames.ts";
import { createMatcher, SelectorError } from "./match.ts";
import { nearest } from "./near.ts";
import type { PageIndex, Pause } from "./page.ts";
import { frameLocator } from "./suggest.ts";

interface Search {
  page: PageIndex;
  frames: Frames;
  testIdAttribute: string;
  pause: Pause;
}

/**
 * What a locator finds, in frames as far as it leads into them, and what comes closest if it finds nothing.
 * @throws SelectorError where it leads into no frame, or into several
 */
export async function search(around: Search, locator: Locator): Promise<Tried> {
  const { page, frames, testIdAttribute, pause } = around;
  const at = locator.findIndex(({ by }) => by === "frame");
  const own = at < 0 ? locator : locator.slice(0, at);
  const rest = at < 0 ? locator : locator.slice(at + 1);
  const { found, steps } = await createMatcher(page, testIdAttribute).trace(own, pause);
  if (found.length === 0)
    return { matches: [], total: 0, steps, near: await closest(around, own, rest, at >= 0) };
  if (at < 0) {
    const matches = found.slice(0, MOST_SHOWN).map((element) => briefOf(page, element));
    return { matches, total: found.length, steps, near: [] };
  }
  const inner = await frames.in(theFrame(found, own));
  if (!inner) throw new SelectorError("Nothing was recorded of this frame.");
  const tried = await inner.call("search", rest, testIdAttribute);
  const lead = writeLocator(locator.slice(0, at + 1));
  return {
    matches: tried.matches.map((match) => ({ ...match, id: inner.idOf(match.id) })),
    total: tried.total,
    steps: [...steps, { code: "contentFrame()", count: 1 }, ...tried.steps],
    near: tried.near.map((near) => within(inner, near, lead)),
  };
}

function theFrame(found: readonly Element[], own: Locator): Element {
  const [frame] = found;
  if (!frame || found.length > 1)
    throw new SelectorError(
      `${writeLocator(own)} finds ${found.length} elements, and only one frame can be entered: add .first() or .nth() before contentFrame().`,
    );
  if (!isFrame(frame))
    throw new SelectorError(`${writeLocator(own)} finds a <${frame.localName}>, which is no frame.`);
  return frame;
}

const within = (inner: Inner, near: Near, lead: string): Near => ({
  ...near,
  id: inner.idOf(near.id),
  code: `${lead}.${near.code}`,
});

/** What the locator would find in another frame comes before what is only like it. */
async function closest(around: Search, own: Locator, rest: Locator, isInFrame: boolean): Promise<Near[]> {
  const { page, frames, testIdAttribute, pause } = around;
  const matcher = createMatcher(page, testIdAttribute);
  const exact: Near[] = [];
  const like: Near[] = [];
  if (isInFrame && !rest.some(({ by }) => by === "frame")) {
    const [here] = await matcher.find(rest, pause);
    if (here) exact.push({ ...briefOf(page, here), code: writeLocator(rest) });
  }
  for (const { element, code } of await nearest(isInFrame ? rest : own, page, testIdAttribute, pause))
    like.push({ ...briefOf(page, element), code });
  for (const inner of await frames.all()) {
    const lead = writeLocator(await frameLocator(inner.element, matcher, testIdAttribute, pause));
    const tried = await inner.call("search", rest, testIdAttribute);
    const [match] = tried.matches;
    if (match) exact.push(within(inner, { ...match, code: writeLocator(rest) }, lead));
    else like.push(...tried.near.map((near) => within(inner, near, lead)));
  }
  return [...exact, ...like].slice(0, MOST_NEAR);
}
