import { all, atLeast, because, type Rule } from "./rule.ts";

/** A page at another address is told with the link that led there. */
const ledByLink: Rule = ({ kind, is_new, isStill }, { news, evidence: { run } }) => {
  const here = run.page?.shot.url;
  if (kind !== "redirected" || is_new !== true || isStill || here === undefined) return null;
  const link = news.find(
    ({ leadsTo }) => leadsTo !== undefined && URL.parse(leadsTo, here)?.href === URL.parse(here)?.href,
  );
  return link ? all(because(link), atLeast(0.9)) : null;
};

/** Rules of what came of elements that an action found otherwise than in the passes. */
export const ACTED: readonly Rule[] = [ledByLink];
