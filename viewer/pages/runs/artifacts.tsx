import type { JSX } from "preact";
import type { RunArtifactKind } from "../../../server/run/runs/model.ts";
import { hasEnded } from "../../api/answers.ts";
import { errorText } from "../../api/request.ts";
import { formatBytes } from "../../ui/format.ts";
import { Download } from "../../ui/icons.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { type Run, runsApi } from "./api.ts";

/** In the order in which people look for them. */
const WORDS: Record<RunArtifactKind, string> = {
  report: "Report",
  screenshot: "Last screenshot",
  video: "Video",
  trace: "Trace",
  har: "HAR",
  rrweb: "DOM recording",
  log: "Log",
};

/** The files that a run left, with their sizes. Links are asked for when its trace is settled, and hold for a while. */
export function RunArtifacts({ run }: { run: Run }): JSX.Element | null {
  // The signature comes with the settled trace, and more files with it.
  const key = hasEnded(run) ? `${run.id} ${run.failure_signature}` : null;
  const { data, error } = useLoad(key, (signal) => runsApi.artifacts(run.id, signal));
  if (key === null) return null;
  const found = new Map(data?.items.map((item) => [item.kind as string, item]));
  return (
    <section class="run-files" aria-label="Files">
      <h2 class="run-part-head">Files</h2>
      <ul>
        {Object.entries(WORDS).map(([kind, word]) => {
          const artifact = found.get(kind);
          if (!artifact) return null;
          // Of this server, by whatever name it was asked.
          const { pathname, search } = new URL(artifact.url);
          return (
            <li key={kind}>
              <a href={pathname + search} target="_blank" rel="noreferrer">
                <Download /> {word}
              </a>
              <span class="dim num">{formatBytes(artifact.size_bytes)}</span>
            </li>
          );
        })}
      </ul>
      {error !== null && <p class="dim captured">{errorText(error)}</p>}
    </section>
  );
}
