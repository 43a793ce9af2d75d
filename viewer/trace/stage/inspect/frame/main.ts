import { HELLO, type Tell } from "../protocol.ts";
import { createAnswers } from "./answers.ts";

/**
 * The one script that runs in a recorded page and in the frames within it: it answers the viewer, over the port that the
 * viewer sent, and nobody else. The page has no origin of its own, so whoever asks must come from where this script came
 * from; in a frame it is the page around that asks, which must be framed by the viewer alone.
 */
const script = document.currentScript as HTMLScriptElement;
const home = new URL(script.src).origin;
script.remove();

function serve(port: MessagePort, isOutermost: boolean): void {
  const tell: Tell = (kind, news) => port.postMessage({ kind, news });
  const answers = createAnswers(tell, isOutermost) as unknown as Record<
    string,
    (...args: unknown[]) => Promise<unknown>
  >;
  port.onmessage = async ({ data }: MessageEvent<{ call: number; name: string; args: unknown[] }>) => {
    const { call, name, args } = data;
    try {
      const answer = Object.hasOwn(answers, name) ? await answers[name]!(...args) : null;
      port.postMessage({ call, answer });
    } catch (error) {
      port.postMessage({ call, refusal: error instanceof Error ? error.message : String(error) });
    }
  };
  if (!isOutermost) tell("ready", null);
}

/** Whether nothing but pages without an origin stands between this one and the viewer. */
function isWithinViewer(): boolean {
  const around = [...(location.ancestorOrigins ?? [])];
  return around[0] === "null" && around.find((origin) => origin !== "null") === home;
}

let isServing = false;
addEventListener("message", ({ data, origin, source, ports }) => {
  const [port] = ports;
  const isFromViewer = origin === home;
  if (isServing || data !== HELLO || source !== parent || !port) return;
  if (!isFromViewer && !(origin === "null" && isWithinViewer())) return;
  isServing = true;
  serve(port, isFromViewer);
});
