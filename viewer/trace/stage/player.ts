import { askPatiently } from "../../api/patience.ts";
import { isAbort, toApiError } from "../../api/request.ts";
import type { FromPlayer, RecordingIndex, ShownPage, ToPlayer } from "../../player/messages.ts";

/** Of a longer recording the beginning is played: the rest would not fit into the tab's memory. */
export const MOST_BYTES = 256 * 1024 * 1024;

interface Listener {
  index(index: RecordingIndex): void;
  shown(shown: ShownPage): void;
  failed(error: unknown): void;
  /** The recording goes on after what is played. */
  tooLong(): void;
}

export interface Player {
  /** Shows the page as it was at a moment, epoch ms. */
  show(ts: number): void;
  close(): void;
}

/**
 * Feeds the recording to the player in a frame as it arrives, and hears what it shows. The player has no origin and no
 * network; what it says may be of the recording's making, and so is looked at like all that is captured.
 * @param frame a frame with `/player`, loaded
 */
export function connectPlayer(frame: HTMLIFrameElement, recordingUrl: string, listener: Listener): Player {
  const channel = new MessageChannel();
  const port = channel.port1;
  const controller = new AbortController();
  const tell = (message: ToPlayer, transfer: Transferable[] = []): void =>
    port.postMessage(message, transfer);

  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = data as FromPlayer;
    if (message.type === "failed") listener.failed(new Error(String(message.message)));
    else if (message.type === "shown" && areNumbers(message.ts, message.width, message.height))
      listener.shown(message);
    else if (message.type === "index" && Array.isArray(message.idle)) listener.index(message);
  };
  // The inner document has no origin that could be named; all it is given is the port.
  frame.contentWindow?.frames[0]?.postMessage("replay", "*", [channel.port2]);

  async function feed(): Promise<void> {
    let bytes = 0;
    try {
      for await (const chunk of readStream(recordingUrl, controller.signal)) {
        bytes += chunk.length;
        tell({ type: "chunk", bytes: chunk }, [chunk.buffer]);
        if (bytes <= MOST_BYTES) continue;
        tell({ type: "end", isCut: true });
        listener.tooLong();
        return controller.abort();
      }
      tell({ type: "end", isCut: false });
    } catch (error) {
      if (isAbort(error)) return;
      // What has come can be shown.
      if (bytes > 0) tell({ type: "end", isCut: true });
      else listener.failed(error);
    }
  }
  void feed();

  return {
    show: (ts) => tell({ type: "show", ts }),
    close() {
      controller.abort();
      port.close();
    },
  };
}

/** The bytes of an answer, as they come. @throws ApiError for a refusal, TypeError when it ends early */
async function* readStream(url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const response = await askPatiently(() => fetch(url, { signal }), signal);
  if (!response.ok) throw toApiError(response.status, await response.text());
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

const areNumbers = (...values: unknown[]): boolean => values.every((value) => Number.isFinite(value));
