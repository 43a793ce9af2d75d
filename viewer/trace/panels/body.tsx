import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { readBytes, readText } from "../../api/bodies.ts";
import { blobHash } from "../../api/trace-source.ts";
import { formatBytes } from "../../ui/format.ts";
import { formatBraces, formatForm, formatMarkup, hexDump } from "../../ui/format-code.ts";
import { ArrowDown, ArrowUp, Download, Search } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { CopyButton } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { oneLine, pretty } from "../../ui/text.ts";
import { TextView } from "../../ui/text-view.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { createMatcher } from "../find/matcher.ts";
import { findState } from "../model/find.ts";
import { useModel } from "../model/model.ts";

/** Bodies are read up to here; the rest is for download. */
const CAP = 4_000_000;
/** Of what is no text this much is shown as bytes. */
const HEX_CAP = 64 * 1024;
const MOST_HITS = 10_000;

const PICTURE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)/i;
const BINARY = /^(audio|video|font)\/|octet-stream|zip|protobuf|wasm|pdf/i;

function looksBinary(text: string): boolean {
  const sample = text.slice(0, 2000);
  let odd = 0;
  for (const character of sample) {
    const code = character.charCodeAt(0);
    if (code === 0xfffd || (code < 32 && code !== 9 && code !== 10 && code !== 13)) odd += 1;
  }
  return odd > sample.length / 20;
}

/** The text laid out for people, by what it is. */
export function laidOut(text: string, mediaType: string): string {
  const json = pretty(text);
  if (json.json) return json.text;
  if (/x-www-form-urlencoded/i.test(mediaType)) return formatForm(text);
  if (/html|xml/i.test(mediaType)) return formatMarkup(text);
  if (/css/i.test(mediaType)) return formatBraces(text, false);
  if (/javascript|ecmascript/i.test(mediaType)) return formatBraces(text, true);
  return text;
}

/** Where the words stand in the text, in either case. */
function placesOf(text: string, words: string): number[] {
  const places: number[] = [];
  if (words === "") return places;
  const [all, wanted] = [text.toLowerCase(), words.toLowerCase()];
  // A text whose lower case has another length would be marked in the wrong place.
  const isSame = all.length === text.length;
  const [within, sought] = isSame ? [all, wanted] : [text, words];
  for (let at = within.indexOf(sought); at >= 0; at = within.indexOf(sought, at + sought.length)) {
    places.push(at);
    if (places.length >= MOST_HITS) break;
  }
  return places;
}

interface TextBodyProps {
  text: string;
  mediaType: string;
  label: string;
  /** What the search of the trace found in it. */
  find: string | null;
}

function TextBody({ text, mediaType, label, find }: TextBodyProps): JSX.Element {
  const isRaw = useSignal(false);
  const words = useSignal("");
  const chosen = useSignal(0);
  const shaped = useMemo(() => laidOut(text, mediaType), [text, mediaType]);
  const shown = isRaw.value ? text : shaped;
  const places = useMemo(() => placesOf(shown, words.value), [shown, words.value]);
  const at = places.length > 0 ? ((chosen.value % places.length) + places.length) % places.length : -1;
  const place = places[at];
  const matcher = useMemo(() => (find ? createMatcher(find) : null), [find]);
  useEffect(() => {
    // What is found across a line break of the formatted text is found in the text as it came.
    if (matcher && !matcher.test(shaped) && matcher.test(text)) isRaw.value = true;
  }, [matcher, shaped]);
  const hit = useMemo(() => {
    if (place !== undefined) return { at: place, length: words.value.length };
    const found = words.value === "" ? matcher?.exec(shown) : null;
    return found ? { at: found.index, length: found[0].length } : null;
  }, [place, words.value, matcher, shown]);
  const move = (by: number) => () => {
    chosen.value += by;
  };
  return (
    <>
      <div class="subbar find-bar">
        {shaped !== text && (
          <button
            type="button"
            class="toggle"
            aria-pressed={!isRaw.value}
            onClick={() => {
              isRaw.value = !isRaw.value;
            }}
          >
            Formatted
          </button>
        )}
        <Search />
        <input
          class="bare-input"
          type="search"
          aria-label={`Find in the ${label.toLowerCase()}`}
          placeholder="Find"
          value={words.value}
          spellcheck={false}
          onInput={(event) => {
            words.value = event.currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") move(event.shiftKey ? -1 : 1)();
          }}
        />
        {words.value !== "" && (
          <>
            <span class="dim num" role="status">
              {places.length === 0 ? "none" : `${at + 1} of ${places.length}`}
            </span>
            <button type="button" class="icon-button" aria-label="Previous place" onClick={move(-1)}>
              <ArrowUp />
            </button>
            <button type="button" class="icon-button" aria-label="Next place" onClick={move(1)}>
              <ArrowDown />
            </button>
          </>
        )}
        <CopyButton text={text} what={label} />
      </div>
      <TextView text={shown} label={label} hit={hit} />
    </>
  );
}

/** What is no text: what it is, and its bytes. */
export function BytesBody({
  bytes,
  total,
  mediaType,
  label,
}: {
  bytes: Uint8Array;
  /** Null when only the beginning is known. */
  total: number | null;
  mediaType: string;
  label: string;
}): JSX.Element {
  const dump = useMemo(() => hexDump(bytes), [bytes]);
  return (
    <>
      <p class="notice dim">
        Binary data{mediaType ? `, ${oneLine(mediaType, 80)}` : ""},{" "}
        {total === null ? `the first ${formatBytes(bytes.length)}` : formatBytes(total)}
      </p>
      <TextView text={dump} label={label} />
    </>
  );
}

function StoredBytes({
  url,
  mediaType,
  label,
}: {
  url: string;
  mediaType: string;
  label: string;
}): JSX.Element {
  const { data, error, isLoading } = useLoad(url, (signal) => readBytes(url, HEX_CAP, signal));
  if (error) return <Failed error={error} />;
  if (isLoading || !data) return <Loading />;
  return (
    <BytesBody
      bytes={data.bytes}
      total={data.isCut ? null : data.bytes.length}
      mediaType={mediaType}
      label={label}
    />
  );
}

function StoredBody({
  url,
  mediaType,
  label,
  find,
}: {
  url: string;
  mediaType: string;
  label: string;
  find: string | null;
}): JSX.Element {
  const isPicture = PICTURE.test(mediaType);
  const isBinary = BINARY.test(mediaType);
  const { data, error, isLoading } = useLoad(isPicture || isBinary ? null : url, (signal) =>
    readText(url, CAP, signal),
  );
  const download = (
    <a class="button" href={url} download={`${label.toLowerCase()}.bin`}>
      <Download /> Download
    </a>
  );
  if (isPicture) {
    return (
      <ScrollPane label="Picture" class="body-picture">
        <img src={url} alt="The body of this response" />
      </ScrollPane>
    );
  }
  if (error) return <Failed error={error} />;
  if (isLoading) return <Loading />;
  if (isBinary || !data || looksBinary(data.text)) {
    return (
      <>
        <div class="subbar">{download}</div>
        <StoredBytes url={url} mediaType={mediaType} label={label} />
      </>
    );
  }
  if (data.text === "") return <Message title="It is empty." />;
  return (
    <>
      {data.isCut && (
        <p class="notice">
          The first {formatBytes(data.bytes)} are shown. {download}
        </p>
      )}
      <TextBody text={data.text} mediaType={mediaType} label={label} find={find} />
    </>
  );
}

/** A captured body, inline or stored by its hash. It is shown as text, bytes or a picture, never as a document. */
export function BodyView({
  body,
  mediaType,
  label,
}: {
  body: string;
  mediaType: string;
  label: string;
}): JSX.Element {
  const model = useModel();
  const sought = findState(model).openBody.value;
  const find = sought?.reference === body ? sought.text : null;
  const isStored = blobHash(body) !== null;
  const url = isStored ? model.source.blobUrl(body) : null;
  if (isStored && !url) return <Message title="This body was left out to keep the file small." />;
  return (
    <div class="panel-column">
      {url ? (
        <StoredBody url={url} mediaType={mediaType} label={label} find={find} />
      ) : (
        <TextBody text={body} mediaType={mediaType} label={label} find={null} />
      )}
    </div>
  );
}
