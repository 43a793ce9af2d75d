import { isControl, isText, type PageModel } from "../diagnosis/page-model.ts";
import { pageNow, pageThen } from "../diagnosis/pages.ts";
import { changedScripts } from "../diagnosis/scripts.ts";
import type { Failure } from "../diagnosis/types.ts";
import { diffOf } from "../scenario-edit/edit.ts";

/** What a model is told of a failure beside the scenario's text, bounded. All of it was recorded from pages and servers. */
export interface ToldFailure {
  step: number;
  message: string;
  /** The page that the step met, and its counterpart of the last pass; null where there is none. */
  now: string | null;
  before: string | null;
  scripts: { path: string; diff: string }[];
}

const MOST_PAGE = 8_000;
const MOST_DIFF = 6_000;
const MOST_SCRIPTS = 3;
const LONGEST_TEXT = 120;

export function tellFailure(failure: Failure): ToldFailure {
  const [now, before] = [pageNow(failure), pageThen(failure)];
  return {
    step: failure.step.index,
    message: failure.message.slice(0, 2000),
    now: now && tellPage(now),
    before: before && tellPage(before),
    scripts: changedScripts(failure)
      .slice(0, MOST_SCRIPTS)
      .map(({ path, text, before: old }) => ({ path, diff: diffOf(path, old, text).slice(0, MOST_DIFF) })),
  };
}

/** Its elements that people use or read, one a line, in document order. */
function tellPage({ url, title, parts, hidden }: PageModel): string {
  const gone = new Set(hidden);
  const lines = [...parts, ...hidden]
    .sort((a, b) => a.at - b.at)
    .filter((part) => isControl(part) || isText(part) || part.element.role !== "")
    .map((part) => {
      const { role, tag, name, own, attributes } = part.element;
      const words = (name || own).slice(0, LONGEST_TEXT);
      const signs = ["data-testid", "id"].flatMap((sign) =>
        attributes[sign] ? [`${sign}=${attributes[sign].slice(0, 60)}`] : [],
      );
      const state = ["disabled", "required"].filter((one) => one in attributes);
      return `${role || tag} ${JSON.stringify(words)}${[...signs, ...state, ...(gone.has(part) ? ["hidden"] : [])].map((one) => ` ${one}`).join("")}`;
    });
  return `${url}\ntitle ${JSON.stringify(title)}\n${lines.join("\n")}`.slice(0, MOST_PAGE);
}
