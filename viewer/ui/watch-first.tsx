import type { JSX } from "preact";
import { progress } from "./get-started.ts";

/** From a list that is empty because nothing is watched yet, to the page that changes that. */
export function WatchFirst(): JSX.Element {
  return (
    <p>
      <a class="button" href="/start">
        Watch your first page, in five minutes
      </a>
    </p>
  );
}

/** The same where a list may be empty for a good reason: only while the way is not walked. */
export const WatchFirstIfNew = (): JSX.Element | null => (progress.value === null ? null : <WatchFirst />);
