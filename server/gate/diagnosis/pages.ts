import type { PageModel } from "./page-model.ts";
import type { Failure, SeenRun } from "./types.ts";

/** The page that a step met: for an expectation the one that it looked at last, for an act what stood there before it. */
export function pageMetBy(
  { pages }: SeenRun,
  { index, action }: Failure["step"],
  isFailed: boolean,
): PageModel | null {
  const isLooking = isFailed || action.verb === "expect" || action.verb.startsWith("wait_for");
  return pages.findLast(({ step }) => (isLooking ? step <= index : step < index)) ?? null;
}

/** The page when the run gave up. */
export const pageNow = ({ run, step }: Failure): PageModel | null => pageMetBy(run, step, true);

/** Its counterpart in the last pass: what the step met when it went well. */
export const pageThen = ({ pass, step }: Failure): PageModel | null =>
  pass === null ? null : pageMetBy(pass, step, false);

/** Whether two recordings show one page: at one address, or under one heading. */
export function isSamePage(a: PageModel, b: PageModel): boolean {
  const heading = ({ parts }: PageModel) =>
    parts.find(({ element }) => element.tag === "h1")?.element.name ?? "";
  return pathOf(a.url) === pathOf(b.url) || (heading(a) !== "" && heading(a) === heading(b));
}

const pathOf = (url: string): string => URL.parse(url)?.pathname ?? url;
