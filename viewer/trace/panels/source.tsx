import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { readText } from "../../api/bodies.ts";
import { blobHash } from "../../api/trace-source.ts";
import { formatBytes, plural } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { CopyButton, type Frame, Section } from "../../ui/parts.tsx";
import { oneLine } from "../../ui/text.ts";
import { TextView } from "../../ui/text-view.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { firstMatch } from "../find/matcher.ts";
import { findState } from "../model/find.ts";
import { useModel } from "../model/model.ts";
import { AROUND, Excerpt, type SourceLine } from "./excerpt.tsx";
import { isScenarioPlace, ScenarioSource } from "./scenario-source.tsx";

/** Larger files are shown up to here. */
const CAP = 2_000_000;

const nameOf = (frame: Frame): string =>
  `${oneLine(frame.file.split(/[\\/]/).slice(-3).join("/"), 200)}:${frame.line}${frame.column > 0 ? `:${frame.column}` : ""}`;

/** The lines around one, counted from 1; at the ends of the file as many as elsewhere. */
function linesAround(lines: readonly string[], line: number): SourceLine[] {
  const from = Math.max(0, Math.min(line - 1 - AROUND, lines.length - 2 * AROUND - 1));
  return lines.slice(from, from + 2 * AROUND + 1).map((text, index) => ({ number: from + index + 1, text }));
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
            : `The recorded file has ${plural(lines.length, "line")}, and none of this number.`}
        </p>
      )}
      {isWhole.value ? (
        <div class="source-box">
          <TextView text={data.text} label="Source" mark={frame.line} hit={hit} />
        </div>
      ) : (
        <Excerpt lines={linesAround(lines, frame.line)} meant={frame.line} />
      )}
    </>
  );
}

/** The text at a place: of its recorded file, or of the scenario whose step it is. */
function TextAt({ frame, url }: { frame: Frame | undefined; url: string | null }): JSX.Element {
  const model = useModel();
  const step = frame && isScenarioPlace(frame) ? model.step.value : null;
  const isCold = model.detail.value?.tier === "cold";
  if (frame && url && !isCold) return <Source key={`${url} ${frame.line}`} frame={frame} url={url} />;
  if (frame && step && !isCold) return <ScenarioSource key={step.step_id} step={step} frame={frame} />;
  return (
    <p class="dim note">The text of these files {url || step ? "is in cold storage" : "was not recorded"}.</p>
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
      <div class={isFailure ? "source is-failure" : "source"}>
        <TextAt frame={frames[at] ?? frames[0]} url={urls[at] ?? null} />
      </div>
    </Section>
  );
}
