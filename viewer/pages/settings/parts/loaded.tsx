import type { JSX } from "preact";
import { ApiError } from "../../../api/request.ts";
import { useSignIn } from "../../../ui/failing.ts";
import { Failed, Loading, Message } from "../../../ui/message.tsx";
import { SettingsPage } from "../../../ui/settings-page.tsx";
import type { Loaded } from "../../../ui/use-load.ts";

/** Who may not see a page is told so in words, and is not told to try again. */
function Refusal({ error, retry, title }: { error: unknown; retry: () => void; title: string }): JSX.Element {
  if (!(error instanceof ApiError && error.status === 403)) return <Failed error={error} retry={retry} />;
  return (
    <Message title={`${title}: your role does not reach this page.`}>
      Owners and admins of the organisation see it. Ask one of them for what you need, or for another role.
    </Message>
  );
}

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
      {data ? children(data) : error ? <Refusal error={error} retry={retry} title={title} /> : <Loading />}
    </SettingsPage>
  );
}
