import { counted } from "../../trace/format/words.ts";
import type { Recorder } from "../capture/recorder.ts";
import type { RecordedResponse } from "./exchanges.ts";
import { headerValue, typeOf } from "./paused.ts";
import { isTextType, type SourceDiffs } from "./source-diffs.ts";

/** What is said of requests without a recorded answer; more of them say nothing new. */
const MOST_NOTES = 20;

/** Bodies of recorded answers, as a replay serves them. */
export interface ServedBodies {
  /** As it was recorded; empty, with a note, where the source trace did not keep it. */
  recorded(url: string, response: RecordedResponse): Promise<Uint8Array>;
  /** The same with the source diffs that concern its address. @throws RunnerError `source_diff_refused` */
  edited(url: string, response: RecordedResponse): Promise<Uint8Array>;
}

export function createServedBodies({
  diffs,
  note,
  bytesOf,
}: {
  diffs: SourceDiffs;
  note: (text: string) => void;
  /** The bytes behind a `sha256:` reference; null when they are not kept. */
  bytesOf: (reference: string) => Promise<Uint8Array | null>;
}): ServedBodies {
  async function recorded(url: string, response: RecordedResponse): Promise<Uint8Array> {
    const { body, headers } = response;
    if (body !== null) {
      const bytes = body.startsWith("sha256:") ? await bytesOf(body) : Buffer.from(body);
      if (bytes) return bytes;
    }
    const size = response.bodySize || Number(headerValue(headers, "content-length") ?? 0);
    if (body !== null || size > 0)
      note(
        `The source trace did not keep the ${counted(size, "byte")} that ${url} was answered with: it was served empty.`,
      );
    return new Uint8Array();
  }

  return {
    recorded,
    async edited(url, response) {
      const bytes = await recorded(url, response);
      if (!diffs.concerns(url) || !isTextType(typeOf(response.headers))) return bytes;
      return Buffer.from(diffs.apply(url, new TextDecoder().decode(bytes)));
    },
  };
}

/** Notes in a recording, the first few of them. */
export function firstNotes(recorder: Pick<Recorder, "note">): (text: string) => void {
  let count = 0;
  return (text) => {
    count += 1;
    if (count <= MOST_NOTES) recorder.note(text);
  };
}
