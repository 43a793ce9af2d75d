import { parseLocator } from "../locator/parse.ts";
import { type Calls, HELLO, MOST_SHOWN, type News } from "../protocol.ts";
import { briefOf, detailOf, labelOf } from "./detail.ts";
import { createMatcher, SelectorError } from "./match.ts";
import { nearest } from "./near.ts";
import { createOutline } from "./outline.ts";
import { createPauses, indexPage } from "./page.ts";
import { createPick } from "./pick.ts";
import { readTree } from "./tree.ts";

/**
 * The one script that runs in a recorded page: it answers the viewer, over the port that the viewer sent, and nobody else.
 * The page has no origin of its own, so whoever asks must come from where this script came from.
 */
const script = document.currentScript as HTMLScriptElement;
const home = new URL(script.src).origin;
script.remove();

type Answers = {
  [Name in keyof Calls]: (...args: Parameters<Calls[Name]>) => Promise<ReturnType<Calls[Name]>>;
};

function createAnswers(port: MessagePort): Answers {
  const page = indexPage();
  const outline = createOutline();
  /** The newest of each long task; older ones stop. */
  const newest = { detail: 0, tree: 0, try: 0 };
  const tell = <Kind extends keyof News>(kind: Kind, news: News[Kind]) => port.postMessage({ kind, news });
  const pick = createPick(page, outline, tell);

  function pausesOf(task: keyof typeof newest) {
    newest[task] += 1;
    const turn = newest[task];
    return createPauses(() => newest[task] !== turn);
  }

  return {
    async start() {
      return {
        elements: page.elements.length,
        hasFrames: document.querySelector("iframe[src],frame[src]") !== null,
      };
    },
    async detail(id, testIdAttribute) {
      const element = page.at(id);
      const matcher = createMatcher(page, testIdAttribute);
      return element && detailOf(element, page, matcher, testIdAttribute, pausesOf("detail"));
    },
    tree: (most) => readTree(page, most, pausesOf("tree")),
    async try(code, testIdAttribute) {
      const parsed = parseLocator(code);
      if (!parsed.isOk) throw new SelectorError(parsed.message);
      const pause = pausesOf("try");
      const { found, steps } = await createMatcher(page, testIdAttribute).trace(parsed.locator, pause);
      const near = found.length > 0 ? [] : await nearest(parsed.locator, page, testIdAttribute, pause);
      return {
        matches: found.slice(0, MOST_SHOWN).map((element) => briefOf(page, element)),
        total: found.length,
        steps,
        near: near.map(({ element, code: better }) => ({ ...briefOf(page, element), code: better })),
      };
    },
    async outline(ids, { isScrolled, scale }) {
      const elements = ids.map((id) => page.at(id)).filter((element) => element !== null);
      const [first] = elements;
      if (isScrolled) first?.scrollIntoView({ block: "nearest", inline: "nearest" });
      const label = first && elements.length === 1 ? labelOf(briefOf(page, first)) : null;
      outline.draw({ elements, label, isPick: false, scale });
      return null;
    },
    async pick(isOn, scale) {
      if (isOn) pick.start(scale);
      else pick.stop();
      return null;
    },
    async move(direction) {
      pick.move(direction);
      return null;
    },
    async choose() {
      pick.choose();
      return null;
    },
  };
}

function serve(port: MessagePort): void {
  const answers = createAnswers(port) as Record<string, (...args: unknown[]) => Promise<unknown>>;
  port.onmessage = async ({ data }: MessageEvent<{ call: number; name: string; args: unknown[] }>) => {
    const { call, name, args } = data;
    try {
      const answer = Object.hasOwn(answers, name) ? await answers[name]!(...args) : null;
      port.postMessage({ call, answer });
    } catch (error) {
      port.postMessage({ call, refusal: error instanceof Error ? error.message : String(error) });
    }
  };
}

let isServing = false;
addEventListener("message", ({ data, origin, source, ports }) => {
  const [port] = ports;
  if (isServing || data !== HELLO || origin !== home || source !== parent || !port) return;
  isServing = true;
  serve(port);
});
