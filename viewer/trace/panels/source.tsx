import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { readText } from "../../api/bodies.ts";
import { blobHash } from "../../api/trace-source.ts";
import { formatBytes } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { oneLine, reveal } from "../../ui/text.ts";
import { TextView } from "../../ui/text-view.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { firstMatch } from "../find/matcher.ts";
import { findState } from "../find/state.ts";
import { useModel } from "../model/model.ts";
import { CopyButton, type Frame, Section } from "./parts.tsx";

/** Lines of source around the place that is meant. */
const AROUND = 4;
/** Larger files are shown up to here. */
const CAP = 2_000_000;
const MAX_LINE = 400;

const nameOf = (frame: Frame): string =>
  `${oneLine(frame.file.split(/[\\/]/).slice(-3).join("/"), 200)}:${frame.line}${frame.column > 0 ? `:${frame.column}` : ""}`;

function Excerpt({ lines, line }: { lines: readonly string[]; line: number }): JSX.Element {
  const from = Math.max(0, Math.min(line - 1 - AROUND, lines.length - 2 * AROUND - 1));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer
    <ol class="excerpt mono" aria-label="The lines around it" tabIndex={0}>
      {lines.slice(from, from + 2 * AROUND + 1).map((text, index) => {
        const number = from + index + 1;
        const isMeant = number === line;
        return (
          <li key={number} class={isMeant ? "is-meant" : undefined} aria-current={isMeant || undefined}>
            <span class="text-number" aria-hidden="true">
              {number}
            </span>
            <span class="captured">{reveal(text.slice(0, MAX_LINE))}</span>
          </li>
        );
      })}
    </ol>
  );
}

function Source({ frame, url }: { frame: Frame; url: string }): JSX.Element {
  const found = findState(useModel()).openBody.value;
  const sought = found !== null && found.reference === frame.source ? found.text : null;
  const isWhole = useSignal(sought !== null);
  const { data, error, isLoading } = useLoad(url, (signal) => readText(url, CAP, signal));
  const lines = useMemo(() => (data ? data.text.split(/\r?\n/) : []), [data]);
  const hit = useMemo(() => firstMatch(data?.text, sought), [data, sought]);
  useEffect(() => {
    if (sought !== null) isWhole.value = true;
  }, [sought]);
  if (error) return <Failed error={error} />;
  if (isLoading || !data) return <Loading label="Loading the source" />;
  return (
    <>
      <div class="source-head">
        <span class="ellipsis captured mono dim" title={oneLine(frame.file, 1000)}>
          {oneLine(frame.file.split(/[\\/]/).slice(-2).join("/"), 200)}
        </span>
        <button
          type="button"
          class="toggle"
          aria-pressed={isWhole.value}
          onClick={() => {
            isWhole.value = !isWhole.value;
          }}
        >
          Whole file
        </button>
        <CopyButton text={data.text} what="Source" />
      </div>
      {frame.line > lines.length && (
        <p class="dim">
          {data.isCut
            ? `Only the first ${formatBytes(data.bytes)} of the file are shown.`
            : `The recorded file has ${lines.length} lines, and none of this number.`}
        </p>
      )}
      {isWhole.value ? (
        <div class="source-box">
          <TextView text={data.text} label="Source" mark={frame.line} hit={hit} />
        </div>
      ) : (
        <Excerpt lines={lines} line={frame.line} />
      )}
    </>
  );
}

/** Who called, and the source at the frame that is chosen: the first one whose file was recorded unless told otherwise. */
export function StackSection({
  frames,
  isFailure = false,
}: {
  frames: readonly Frame[];
  /** Whether the chosen line is where it failed. */
  isFailure?: boolean;
}): JSX.Element | null {
  const model = useModel();
  const { source } = model;
  const sought = findState(model).openBody.value?.reference;
  const chosen = useSignal<number | null>(null);
  if (frames.length === 0) return null;
  const urls = frames.map((frame) =>
    frame.source && blobHash(frame.source) ? source.blobUrl(frame.source) : null,
  );
  const found = sought === undefined ? -1 : frames.findIndex((frame) => frame.source === sought);
  const first = found >= 0 ? found : urls.findIndex((url) => url !== null);
  const at = chosen.value !== null && urls[chosen.value] ? chosen.value : first;
  const [frame, url] = [frames[at], urls[at]];
  return (
    <Section title="Source">
      <ol class="stack mono">
        {frames.map((one, index) => {
          const label = (
            <>
              {one.function && <span class="captured">{oneLine(one.function, 120)} </span>}
              <span class="dim captured">{nameOf(one)}</span>
            </>
          );
          return (
            <li key={index} title={oneLine(one.file, 1000)}>
              {urls[index] ? (
                <button
                  type="button"
                  class="frame-button"
                  aria-pressed={index === at}
                  onClick={() => {
                    chosen.value = index;
                  }}
                >
                  {label}
                </button>
              ) : (
                <span class="frame-button">{label}</span>
              )}
            </li>
          );
        })}
      </ol>
      {frame && url && model.detail.value?.tier === "cold" ? (
        <p class="dim note">The text of these files is in cold storage.</p>
      ) : frame && url ? (
        <div class={isFailure ? "source is-failure" : "source"}>
          <Source key={`${url} ${frame.line}`} frame={frame} url={url} />
        </div>
      ) : (
        <p class="dim note">The text of these files was not recorded.</p>
      )}
    </Section>
  );
}
