import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "./format.ts";
import { Failed, Loading } from "./message.tsx";
import { comparePictures, type PixelDiff } from "./pixel-diff.ts";
import { useLoad } from "./use-load.ts";
import { Views } from "./views.tsx";

interface Size {
  width: number;
  height: number;
}

interface ImageDiffProps {
  /** Addresses of this server: what was wanted, or was there before. */
  left: string;
  /** What came, or is there now. */
  right: string;
  /** The recorder's own picture of the difference; made here where it is absent. */
  diff?: string | undefined;
  labels: { left: string; right: string };
  /** What is shown until the reader chooses. */
  initial?: View;
}

type View = "diff" | "right" | "left" | "both" | "slider";

/** `0.4 %`, `12 %`, `< 0.1 %`. */
function share({ changed, total }: PixelDiff): string {
  const percent = (changed / total) * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

function Painted({ made }: { made: PixelDiff }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => host.current?.replaceChildren(made.canvas), [made]);
  return <div class="shot-canvas" ref={host} role="img" aria-label="The difference, in red" />;
}

/** The picture made of the two where the recorder left none. */
function Difference({ left, right, diff }: Pick<ImageDiffProps, "left" | "right" | "diff">): JSX.Element {
  const { data, error, isLoading } = useLoad(diff ? null : `${left} ${right}`, (signal) =>
    comparePictures(left, right, signal),
  );
  if (diff) return <img class="shot" src={diff} alt="The difference" />;
  if (error) return <Failed error={error} />;
  if (isLoading || !data) return <Loading label="Comparing" />;
  return (
    <>
      <p class="notice dim" role="status">
        {data.changed === 0
          ? "No pixel differs visibly."
          : `${formatCount(data.changed)} pixels differ, ${share(data)} of the picture.`}
      </p>
      <Painted made={data} />
    </>
  );
}

/** Both pictures in one place, the left one up to the line. */
function Slider({ left, right, labels }: Omit<ImageDiffProps, "diff">): JSX.Element {
  const [at, setAt] = useState(50);
  const [sizes, setSizes] = useState<{ left?: Size; right?: Size }>({});
  const width = Math.max(sizes.left?.width ?? 0, sizes.right?.width ?? 0, 1);
  const height = Math.max(sizes.left?.height ?? 0, sizes.right?.height ?? 0, 1);
  const layer = (side: "left" | "right"): JSX.Element => {
    const size = sizes[side];
    return (
      <img
        class="shot-layer"
        src={side === "left" ? left : right}
        alt=""
        style={{ width: size ? `${(size.width / width) * 100}%` : "100%" }}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setSizes((before) => ({ ...before, [side]: { width: naturalWidth, height: naturalHeight } }))
        }
      />
    );
  };
  return (
    <div class="shot-slider" style={{ aspectRatio: `${width} / ${height}`, maxWidth: `${width}px` }}>
      <div class="shot-cover">{layer("right")}</div>
      <div class="shot-cover" style={{ clipPath: `inset(0 ${100 - at}% 0 0)` }}>
        {layer("left")}
      </div>
      <div class="shot-line" style={{ left: `${at}%` }} aria-hidden="true" />
      <input
        type="range"
        class="shot-range"
        min={0}
        max={100}
        value={at}
        aria-label={`${labels.left} up to the line, ${labels.right} after it`}
        aria-valuetext={`${at} % ${labels.left}`}
        onInput={(event) => setAt(Number(event.currentTarget.value))}
      />
    </div>
  );
}

function Figure({ url, label }: { url: string; label: string }): JSX.Element {
  const [size, setSize] = useState<Size | null>(null);
  return (
    <figure class="shot-figure">
      <figcaption class="dim">
        {label}
        {size && <span class="num">{` ${size.width} × ${size.height}`}</span>}
      </figcaption>
      <img
        class="shot"
        src={url}
        alt={label}
        onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
          setSize({ width, height })
        }
      />
    </figure>
  );
}

/** Two pictures compared: their difference, each alone, side by side, or one over the other with a line to move. */
export function ImageDiff({ left, right, diff, labels, initial = "diff" }: ImageDiffProps): JSX.Element {
  const view = useSignal<View>(initial);
  const views: readonly (readonly [View, string])[] = [
    ["diff", "Difference"],
    ["right", labels.right],
    ["left", labels.left],
    ["both", "Side by side"],
    ["slider", "Slider"],
  ];
  const body = (): JSX.Element => {
    if (view.value === "diff") return <Difference left={left} right={right} diff={diff} />;
    if (view.value === "slider") return <Slider left={left} right={right} labels={labels} />;
    return (
      <div class="shot-pair">
        {view.value !== "right" && <Figure url={left} label={labels.left} />}
        {view.value !== "left" && <Figure url={right} label={labels.right} />}
      </div>
    );
  };
  return (
    <div class="image-diff">
      <Views label="View of the pictures" views={views} view={view} />
      <div class="shot-room">{body()}</div>
    </div>
  );
}
