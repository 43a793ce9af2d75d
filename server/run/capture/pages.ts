import type { BrowserContext, Page } from "playwright-core";
import { mayBeShown, notAllowed } from "../addresses.ts";
import { RunnerError, StepFailure } from "../errors.ts";
import type { Recorder } from "./recorder.ts";

/** The pages of a run: which one people would look at, and what pages do that nobody asked for. */
export interface Pages {
  /** The newest that is open. @throws StepFailure when all are closed */
  current(): Page;
  nameOf(page: Page): string;
  /** Aborts when a page's process died, or a page shows what none may. */
  readonly broken: AbortSignal;
  /** What pages do from now on is nothing that they do: the run closes them. */
  leave(): void;
}

/** A page may ask without end. */
const MOST_TOLD = 100;

export function watchPages(context: BrowserContext, recorder: Recorder): Pages {
  const pages: Page[] = [];
  const broken = new AbortController();

  let isOver = false;
  let told = 0;
  const tell = (text: string) => {
    if (isOver) return;
    told += 1;
    if (told <= MOST_TOLD) recorder.note(text);
    if (told === MOST_TOLD) recorder.note("The page goes on so; no more is told.");
  };
  function watch(page: Page): void {
    pages.push(page);
    if (pages.length > 1) tell("Another page opened; the steps go on there until it closes.");
    // Chromium lets no page of the web lead there: this holds should it ever be otherwise.
    const judge = (address: string) => {
      if (!mayBeShown(address)) broken.abort(notAllowed(address.slice(0, address.indexOf(":") + 1)));
    };
    judge(page.url());
    page.on("framenavigated", (frame) => judge(frame.url()));
    page.on("crash", () => {
      // The browser's own notice that nothing answered may die of itself: the step has failed by then, and says why.
      if (page.url().startsWith("chrome-error:")) return;
      broken.abort(new RunnerError("page_crashed", `The page ${page.url()} crashed.`));
    });
    page.on("dialog", (dialog) => {
      tell(
        `The page asked (${dialog.type()}): “${dialog.message().slice(0, 300)}”. ${dialog.type() === "beforeunload" ? "It was accepted." : "It was dismissed."}`,
      );
      const answer = dialog.type() === "beforeunload" ? dialog.accept() : dialog.dismiss();
      // The page may have gone with its dialog.
      answer.catch(() => {});
    });
    page.on("download", (download) =>
      tell(`The page offered a download, ${download.suggestedFilename()}, which was not taken.`),
    );
    page.on("close", () => {
      if (pages.some((one) => !one.isClosed())) tell("The page closed; the steps go on in the one before.");
    });
  }
  context.on("page", watch);
  for (const page of context.pages()) watch(page);

  return {
    current() {
      const open = pages.findLast((page) => !page.isClosed());
      if (!open) throw new StepFailure("Every page of the run has closed.");
      return open;
    },
    nameOf: (page) => `page@${pages.indexOf(page) + 1}`,
    broken: broken.signal,
    leave() {
      isOver = true;
    },
  };
}
