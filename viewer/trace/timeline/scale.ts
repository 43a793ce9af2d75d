/** Places moments (epoch ms) on a strip of pixels. */
export interface Scale {
  from: number;
  to: number;
  width: number;
  x(ts: number): number;
  ts(x: number): number;
}

export function createScale(from: number, to: number, width: number): Scale {
  const span = Math.max(1, to - from);
  return {
    from,
    to,
    width,
    x: (ts) => ((ts - from) / span) * width,
    ts: (x) => from + (x / Math.max(1, width)) * span,
  };
}

const NICE = [1, 2, 5];

/** Distance of the marks of a ruler: a round number of milliseconds, at least `least` pixels wide. */
export function rulerStep(scale: Scale, least: number): number {
  const perPixel = (scale.to - scale.from) / Math.max(1, scale.width);
  const wanted = Math.max(1, perPixel * least);
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const factor = NICE.find((nice) => nice * magnitude >= wanted) ?? 10;
  return factor * magnitude;
}
