import { similarity } from "../../similarity.ts";
import { isOpenedByTest } from "../alone/session/stayed.ts";
import type { SeenElement } from "../page/page-view.ts";
import { pathOf, quoted } from "../words.ts";
import { all, atLeast, type Rule, say } from "./rule.ts";

export const NO_SUCH_PAGE = /\b(?:page|route) (?:was )?not found\b|\b404\b|no such page|page does not exist/i;

/** Two addresses that differ by a letter or two. */
const ALIKE = 0.75;

/** Without a pass, a page that says that there is none says it of the address that the test itself opened. */
const openedByTest: Rule = ({ kind, is_new, title }, { evidence: { run } }) => {
  if (kind !== "page_message" || is_new !== null || !NO_SUCH_PAGE.test(title) || !run.page) return null;
  const { shot, elements } = run.page;
  if (!isOpenedByTest(run.facts, shot)) return null;
  const path = pathOf(shot.url);
  const like = elements
    .flatMap((one) => leadsTo(one, shot.url) ?? [])
    .find((one) => one !== path && similarity(one, path) >= ALIKE);
  return all(
    say(
      `the test itself had opened ${quoted(path, 80)}${like === undefined ? "" : `, where the page has a link to ${quoted(like, 80)}`}`,
    ),
    atLeast(0.86),
  );
};

const leadsTo = ({ attributes: { href } }: SeenElement, base: string): string | null =>
  href === undefined ? null : (URL.parse(href, base)?.pathname ?? null);

/** What is told of an address without a page. */
export const NO_PAGE: readonly Rule[] = [openedByTest];
