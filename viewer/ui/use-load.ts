import { useEffect, useRef, useState } from "preact/hooks";
import { isAbort } from "../api/request.ts";
import { isDealtWith } from "./failing.ts";
import { markFresh, markOld } from "./old.tsx";

export interface Loaded<T> {
  data: T | null;
  error: unknown;
  isLoading: boolean;
}

/**
 * Loads while shown; a new `key` drops the answer on its way. Null keys load nothing. A new `revision` loads again and shows
 * what was there until the answer comes. When none does it stays, and the page says that it is old; a session that has ended
 * leads to the sign-in page.
 */
export function useLoad<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  revision = 0,
): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { key: string | null }>({
    key: null,
    data: null,
    error: null,
    isLoading: key !== null,
  });
  const [tries, setTries] = useState(0);
  const shown = useRef(state);
  shown.current = state;
  useEffect(() => () => markFresh(shown), [key]);
  useEffect(() => {
    if (key === null) return;
    const controller = new AbortController();
    load(controller.signal).then(
      (data) => {
        if (controller.signal.aborted) return;
        markFresh(shown);
        setState({ key, data, error: null, isLoading: false });
      },
      (error: unknown) => {
        if (controller.signal.aborted || isAbort(error)) return;
        if (shown.current.key !== key || shown.current.data === null)
          setState({ key, data: null, error, isLoading: false });
        else if (!isDealtWith(error)) markOld(shown, error, () => setTries((count) => count + 1));
      },
    );
    return () => controller.abort();
  }, [key, revision, tries]);
  if (key === null) return { data: null, error: null, isLoading: false };
  return state.key === key ? state : { data: null, error: null, isLoading: true };
}
