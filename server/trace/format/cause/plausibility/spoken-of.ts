import type { SeenElement } from "../page/page-view.ts";
import { targetOf } from "../page/target.ts";
import { topicsOf } from "../run/operations.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { Evidence } from "../types.ts";
import { pathOf } from "../words.ts";

const MOST_ACTIONS = 4;

/** Whether the failed step, or what was done and shown near it, speaks of what a request is about; null where its address does not say that. */
export function isSpokenOf(
  one: Exchange,
  evidence: Evidence,
  where: "by the step" | "near it",
): boolean | null {
  const topics = topicsOfList(one);
  if (topics.length === 0) return null;
  const words = [...wordsOfStep(evidence), ...(where === "near it" ? wordsAround(evidence) : [])];
  const spoken = new Set(topicsOf(words.join(" ")));
  return topics.some((topic) => spoken.has(topic));
}

/** What a list is about: the last part of its address says it, and what comes before, whose it is. */
function topicsOfList({ url, operation }: Exchange): string[] {
  const parts = pathOf(url).split("/");
  const last = topicsOf(`${parts.at(-1) ?? ""} ${operation ?? ""}`);
  return last.length > 0 ? last : topicsOf(parts.join(" "));
}

const wordsOfStep = (evidence: Evidence): string[] => {
  const { title, message, expected } = evidence.failed;
  return [targetOf(evidence), title, message, expected ?? ""];
};

/** What the last actions were about, and the page that they led to. */
const wordsAround = ({ run, failed }: Evidence): string[] => [
  ...lastOf(
    run.facts.steps,
    MOST_ACTIONS,
    ({ kind, end }) => kind === "agent.action" && end <= failed.from,
  ).map(({ title }) => title),
  ...(run.page ? [pathOf(run.page.shot.url), ...headingsOf(run.page.elements)] : []),
];

/** What a page is about: its main headings, or where it has none, all. */
function headingsOf(elements: readonly SeenElement[]): string[] {
  const seen = elements.filter(({ role, isHidden }) => role === "heading" && !isHidden);
  const main = seen.filter(({ tag }) => tag === "h1");
  return (main.length > 0 ? main : seen).map(({ name }) => name);
}
