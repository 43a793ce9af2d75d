import { useEffect, useRef } from "preact/hooks";
import { query, setQuery } from "../../router.ts";
import type { TraceModel } from "../model/model.ts";
import type { Part } from "./scale.ts";
import { timelineState } from "./state.ts";

const ADDRESS_MS = 300;

/** `z=<from>~<to>`, milliseconds since the trace began; null where it makes no sense. */
export function readZoom(text: string | null): Part | null {
  const match = /^(\d{1,13})~(\d{1,13})$/.exec(text ?? "");
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  return match && to > from ? [from, to] : null;
}

/** Keeps the clock (`clock=virtual`) and the shown part (`z=`) in the address, and takes them from there. */
export function useTimelineAddress(model: TraceModel): void {
  const { zoom } = timelineState(model);
  const { kind } = model.clocks;
  const origin = model.origin.value;
  const part = zoom.value;
  const isVirtual = kind.value === "virtual";
  const z = part ? `${Math.floor(part[0] - origin)}~${Math.ceil(part[1] - origin)}` : null;
  const own = `${z ?? ""} ${isVirtual}`;
  const given = `${query.value.get("z") ?? ""} ${query.value.get("clock") === "virtual"}`;
  const settled = useRef(`${""} ${false}`);

  useEffect(() => {
    if (given === settled.current) return;
    settled.current = given;
    const wanted = readZoom(query.peek().get("z"));
    const [first, last] = model.range.peek();
    const from = Math.max(first, first + (wanted?.[0] ?? 0));
    const to = Math.min(last, first + (wanted?.[1] ?? 0));
    zoom.value = wanted && to > from ? [from, to] : null;
    kind.value = query.peek().get("clock") === "virtual" ? "virtual" : "wall";
  }, [given]);

  useEffect(() => {
    if (own === settled.current) return;
    const timer = setTimeout(() => {
      settled.current = own;
      setQuery({ z, clock: isVirtual ? "virtual" : null }, { replace: true });
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [own]);
}
