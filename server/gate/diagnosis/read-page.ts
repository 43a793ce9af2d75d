import { viewOfHtml } from "../../trace/format/cause/page/page-view.ts";
import type { PageShot } from "../../trace/format/cause/run/run-facts.ts";
import { modelOf, type PageModel } from "./page-model.ts";

/** A recorded page of a step as the rules see it. */
export const readPage = (
  html: string,
  { url, seq }: Pick<PageShot, "url" | "seq">,
  step: number,
): PageModel => modelOf({ url, title: titleOf(html), step, seq, elements: viewOfHtml(html) });

function titleOf(html: string): string {
  let title = "";
  let isIn = true;
  new HTMLRewriter()
    .on("head > title", {
      text({ text, lastInTextNode }) {
        if (isIn) title += text;
        if (lastInTextNode) isIn = false;
      },
    })
    .transform(html);
  return decoded(title).replace(/\s+/g, " ").trim();
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name]!);
