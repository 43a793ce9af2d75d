import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatClock, formatWall } from "../../ui/format.ts";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { block } from "../../ui/text.ts";
import type { LogLine } from "./api.ts";

const LONGEST = 4000;
/** Whoever is so near to the end wants to see what comes. */
const NEAR_PX = 40;
const TONES = { info: "", warn: "is-error", error: "is-failed" } as const;

/** The log as it is written. It follows its end until somebody scrolls up. */
export function RunLog({ lines, isOver }: { lines: readonly LogLine[]; isOver: boolean }): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    const pane = list.current?.parentElement;
    if (!pane) return;
    const onScroll = () => {
      follows.current = pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR_PX;
    };
    pane.addEventListener("scroll", onScroll, { passive: true });
    return () => pane.removeEventListener("scroll", onScroll);
  }, []);
  useLayoutEffect(() => {
    const pane = list.current?.parentElement;
    if (pane && follows.current) pane.scrollTop = pane.scrollHeight;
  }, [lines]);
  return (
    <section class="run-log" aria-label="Log">
      <h2 class="run-part-head">Log</h2>
      {isOver && lines.length === 0 && <p class="run-log-empty dim">Nothing was logged.</p>}
      <ScrollPane label="Log">
        <ol ref={list} class="mono">
          {lines.map(({ seq, ts, level, step_id, message }) => (
            <li key={seq}>
              <time class="dim num" dateTime={ts} title={formatWall(ts)}>
                {formatClock(ts)}
              </time>
              <span class="dim">{step_id ?? ""}</span>
              <span class={`captured ${TONES[level]}`}>
                {level !== "info" && `${level}: `}
                {block(message, LONGEST)}
              </span>
            </li>
          ))}
        </ol>
      </ScrollPane>
    </section>
  );
}
