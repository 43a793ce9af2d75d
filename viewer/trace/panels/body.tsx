import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { blobHash, readText } from "../../api.ts";
import { formatBytes } from "../../ui/format.ts";
import { Download } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { oneLine, pretty } from "../../ui/text.ts";
import { TextView } from "../../ui/text-view.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { createMatcher } from "../find/matcher.ts";
import { findState } from "../find/state.ts";
import { useModel } from "../model/model.ts";
import { CopyButton } from "./parts.tsx";

/** Bodies are read up to here; the rest is for download. */
const CAP = 4_000_000;

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

function TextBody({ text, label, find }: { text: string; label: string; find: string | null }): JSX.Element {
  const isRaw = useSignal(false);
  const shaped = useMemo(() => pretty(text), [text]);
  const matcher = useMemo(() => (find ? createMatcher(find) : null), [find]);
  useEffect(() => {
    // What is found across a line break of the formatted text is found in the text as it came.
    if (matcher && !matcher.test(shaped.text) && matcher.test(text)) isRaw.value = true;
  }, [matcher, shaped]);
  const shown = isRaw.value ? text : shaped.text;
  const hit = useMemo(() => {
    const found = matcher?.exec(shown);
    return found ? { at: found.index, length: found[0].length } : null;
  }, [matcher, shown]);
  return (
    <>
      <div class="subbar">
        {shaped.json && (
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
        <span class="bar-space" />
        <CopyButton text={text} what={label} />
      </div>
      <TextView text={shown} label={label} hit={hit} />
    </>
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
      <Message title={`Binary data${mediaType ? ` (${oneLine(mediaType, 80)})` : ""}.`}>{download}</Message>
    );
  }
  return (
    <>
      {data.isCut && (
        <p class="notice">
          The first {formatBytes(data.bytes)} are shown. {download}
        </p>
      )}
      <TextBody text={data.text} label={label} find={find} />
    </>
  );
}

/** A captured body, inline or stored by its hash. It is shown as text or as a picture, never as a document. */
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
        <TextBody text={body} label={label} find={null} />
      )}
    </div>
  );
}
