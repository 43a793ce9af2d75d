import type { CauseKind } from "../types.ts";
import { explained, type Rule } from "./rule.ts";

/** Where a server rendered the page otherwise, its scripts have nothing there to ask for, and what stands somewhere else has come in nothing's place. */
const drawnOtherwise: Rule = (finding, { news }) => {
  const { kind, title, is_new } = finding;
  if (is_new !== true || !(kind in COMES_OF_IT) || (kind === "request_unsent" && !title.startsWith("GET ")))
    return null;
  const drawn = news.find((one) => one.isDrawn && one.is_new === true);
  const isToldThere = title.match(QUOTED)?.some((name) => drawn?.title.includes(name));
  return drawn && (kind === "request_unsent" || !isToldThere) ? explained : null;
};

const COMES_OF_IT: Partial<Record<CauseKind, true>> = {
  request_unsent: true,
  element_renamed: true,
  element_missing: true,
};

const QUOTED = /“[^“”]+”/g;

/** What comes of a page that a server rendered otherwise. */
export const DRAWN: readonly Rule[] = [drawnOtherwise];
