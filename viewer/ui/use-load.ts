import { useEffect, useState } from "preact/hooks";
import { isAbort } from "../api/request.ts";

export interface Loaded<T> {
  data: T | null;
  error: unknown;
  isLoading: boolean;
}

/**
 * Loads while shown; a new `key` drops the answer on its way. Null keys load nothing. A new `revision` loads again and shows
 * what was there until the answer comes, and when none does.
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
  useEffect(() => {
    if (key === null) return;
    const controller = new AbortController();
    load(controller.signal).then(
      (data) => !controller.signal.aborted && setState({ key, data, error: null, isLoading: false }),
      (error: unknown) => {
        if (!controller.signal.aborted && !isAbort(error))
          setState((was) =>
            was.key === key && was.data !== null ? was : { key, data: null, error, isLoading: false },
          );
      },
    );
    return () => controller.abort();
  }, [key, revision]);
  if (key === null) return { data: null, error: null, isLoading: false };
  return state.key === key ? state : { data: null, error: null, isLoading: true };
}
