import type { JSX } from "preact";
import { useSignIn } from "../../../ui/failing.ts";
import { Failed, Loading } from "../../../ui/message.tsx";
import { SettingsPage } from "../../../ui/settings-page.tsx";
import type { Loaded } from "../../../ui/use-load.ts";

interface LoadedPageProps<T> {
  title: string;
  loaded: Loaded<T>;
  retry: () => void;
  children: (data: T) => JSX.Element;
}

/** A page of the settings that shows one answer of the server. */
export function LoadedPage<T>({ title, loaded, retry, children }: LoadedPageProps<T>): JSX.Element {
  const { data, error } = loaded;
  useSignIn(error);
  return (
    <SettingsPage title={title} isLoading={!data && !error}>
      {data ? children(data) : error ? <Failed error={error} retry={retry} /> : <Loading />}
    </SettingsPage>
  );
}
