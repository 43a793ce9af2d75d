import { Replayer } from "rrweb";
import { withoutReaching } from "./harmless.ts";
import type { RecordedEvent } from "./recording.ts";

/** Moments before it are in the past for the replayer, which then applies an event at once. */
const ALWAYS = Number.MAX_SAFE_INTEGER;

const STYLE = `
html, body { margin: 0; background: #fff; overflow: hidden; }
iframe { display: block; border: 0; background: #fff; }
.replayer-wrapper { position: relative; }
.replayer-mouse { position: absolute; z-index: 1; width: 20px; height: 20px; margin: -2px 0 0 -2px; pointer-events: none;
  background: no-repeat center / contain url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'%3E%3Cpath d='M2 2l6 15 2.2-6.3 6.3-2.2z' fill='%23111' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E"); }
.replayer-mouse.touch-device { border: 3px solid #1a5fc2; border-radius: 50%; background: none; }
`;

const SILENT = { log() {}, warn() {}, error() {} } as unknown as Console;

/** What of the replayer is its own, and yet wanted here: the moment at which the pointer is drawn. */
interface Inner {
  emitter: { emit(name: "flush"): void };
}

/**
 * The recorded page, put together event by event by rrweb's replayer. It is not asked to play: when what is shown is
 * for the clock of the trace to say.
 */
export function createScreen(root: HTMLElement) {
  const style = document.createElement("style");
  style.textContent = STYLE;
  document.head.append(style);
  const size = { width: 0, height: 0 };
  let replayer: Replayer | null = null;

  function reset(): Replayer {
    replayer?.destroy();
    const made = new Replayer([], {
      root,
      liveMode: true,
      useVirtualDom: false,
      mouseTail: false,
      // The viewer has the focus, and keeps it.
      triggerFocus: false,
      // A page may be seen for the first time when an animation is over.
      pauseAnimation: false,
      showWarning: false,
      logger: SILENT,
    });
    made.on("resize", (dimension) => Object.assign(size, dimension as typeof size));
    made.startLive(ALWAYS);
    replayer = made;
    return made;
  }

  return {
    size: size as Readonly<typeof size>,
    /** Forgets the page. */
    reset: (): void => void reset(),
    /** @throws whatever an event of a damaged recording leads to */
    apply(event: RecordedEvent): void {
      const { service } = replayer ?? reset();
      const { events } = service.state.context;
      // It would keep all that it was given; of those it looks at the first one alone.
      if (events.length > 1) events.length = 1;
      service.send({ type: "ADD_EVENT", payload: { event: withoutReaching(event) as never } });
    },
    /** Draws the pointer where it is. */
    flush: (): void => (replayer as unknown as Inner | null)?.emitter.emit("flush"),
    /** Whether the page can be put together here at all. */
    isReachable: (): boolean => Boolean((replayer ?? reset()).iframe.contentDocument),
  };
}

export type Screen = ReturnType<typeof createScreen>;
