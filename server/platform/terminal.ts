/** What the process's terminal can show. */
export interface Terminal {
  /** A person reads standard output as it comes. */
  isInteractive: boolean;
  /** A person reads standard error as it comes: progress goes there, so that output can be piped on. */
  hasProgress: boolean;
  /** Colours may be used, never as the only sign of something. */
  hasColour: boolean;
  /** Columns; 80 where unknown. */
  width: number;
  /** A browser window can be opened here. */
  hasDesktop: boolean;
}

/** Reads the terminal and what the environment says about it (NO_COLOR: https://no-color.org). */
export function readTerminal(env: Record<string, string | undefined> = process.env): Terminal {
  const isInteractive = process.stdout.isTTY === true;
  const isRemote = env.SSH_CONNECTION !== undefined || env.CI !== undefined;
  const hasDisplay =
    process.platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.BROWSER);
  return {
    isInteractive,
    hasProgress: process.stderr.isTTY === true && env.TERM !== "dumb",
    hasColour: isInteractive && !env.NO_COLOR && env.TERM !== "dumb",
    width: process.stdout.columns ?? 80,
    hasDesktop: isInteractive && hasDisplay && !isRemote,
  };
}

/** Asks the system to open a URL in the person's browser; false when there is nothing to ask. */
export async function openInBrowser(url: string): Promise<boolean> {
  const { default: open } = await import("open");
  return open(url).then(
    () => true,
    () => false,
  );
}

/** What a stream says whose reader went away, first and afterwards. */
const GONE = ["EPIPE", "ERR_STREAM_DESTROYED"];

let isListening = false;

/**
 * Lets output whose reader went away (`| head -1`) go nowhere: what a command does is done to its end all the same.
 * Anything else that is wrong with it, such as a full disk, goes to `fail`. For as long as the process lives, since a pipe
 * tells late, also after the command has ended.
 */
export function outliveReaders(fail: (error: NodeJS.ErrnoException) => void): void {
  if (isListening) return;
  isListening = true;
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!GONE.includes(error.code ?? "")) fail(error);
    });
}
