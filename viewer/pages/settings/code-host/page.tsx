import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useSignIn } from "../../../ui/failing.ts";
import { formatAgo } from "../../../ui/format.ts";
import { CheckCircle, CrossCircle } from "../../../ui/icons.tsx";
import { Failed, Loading } from "../../../ui/message.tsx";
import { CopyButton } from "../../../ui/parts.tsx";
import { SettingsPage, SettingsSection } from "../../../ui/settings-page.tsx";
import { useLoad } from "../../../ui/use-load.ts";
import { useNow } from "../../../ui/use-now.ts";
import { useSending } from "../profile-forms.tsx";
import { type CodeHostCheck, type CodeHostState, codeHostApi } from "./api.ts";
import { Deliveries } from "./deliveries.tsx";

const SETTINGS = `"code_host": {
  "repository": "owner/name",
  "app_id": 123456,
  "private_key": "-----BEGIN RSA PRIVATE KEY-----\\n…",
  "webhook_secret": "…"
}`;

const CREDENTIALS: Record<CodeHostState["credential"], string> = {
  app: "an app: it reports checks and hears what happens",
  token: "a token: it reads, comments and opens pull requests, and reports no checks",
  none: "none",
};

const Row = ({ word, children }: { word: string; children: ComponentChildren }) => (
  <>
    <dt>{word}</dt>
    <dd>{children}</dd>
  </>
);

function Check(): JSX.Element {
  const found = useSignal<CodeHostCheck | null>(null);
  const { isSending, run } = useSending();
  const { value } = found;
  const check = () =>
    run(async () => {
      found.value = await codeHostApi.check();
    });
  return (
    <div class="sso-test">
      <button type="button" class="button" disabled={isSending} onClick={() => void check()}>
        {isSending ? "Asking…" : "Ask the code host"}
      </button>
      <p role="status" class={value ? (value.ok ? "is-passed" : "is-failed") : undefined}>
        {value && (
          <>
            {value.ok ? <CheckCircle /> : <CrossCircle />} <span class="captured">{value.message}</span>
          </>
        )}
      </p>
    </div>
  );
}

function Connection({ state }: { state: CodeHostState }): JSX.Element {
  const now = useNow(false);
  const { repository, api_url, credential, webhook_url, receives, missing, last_delivery_at: last } = state;
  return (
    <SettingsSection
      title="Connection"
      about={
        repository !== null || credential !== "none"
          ? "As settings.json of the server says. The server reads it when it starts."
          : "None is set. Pull requests can be gated from a CI run with an API key all the same. For checks that come by themselves, register an app at the code host, then write to settings.json of the server what it gives you, and start the server again:"
      }
    >
      {repository === null && credential === "none" && <pre class="sso-settings">{SETTINGS}</pre>}
      <dl class="settings-facts">
        <Row word="Repository">{repository ?? "none"}</Row>
        {api_url !== "" && <Row word="API">{api_url}</Row>}
        <Row word="Credential">{CREDENTIALS[credential]}</Row>
        <Row word="Webhook">
          <span class="sso-copied">
            <code class="captured">{webhook_url}</code>{" "}
            <CopyButton text={webhook_url} what="Webhook address" />
          </span>
        </Row>
        <Row word="Deliveries">
          {!receives
            ? "are ignored: no app is set"
            : last === null
              ? "are taken; none has come yet"
              : `are taken; the last came ${formatAgo(last, now)}`}
        </Row>
        {receives && state.looked_at !== null && (
          <Row word="Missed ones">were last looked for {formatAgo(state.looked_at, now)}</Row>
        )}
        {missing.length > 0 && repository !== null && <Row word="Still to set">{missing.join(", ")}</Row>}
      </dl>
      {credential !== "none" && <Check />}
    </SettingsSection>
  );
}

/** How the code host is connected, and what it told. */
export function CodeHostPage(): JSX.Element {
  const revision = useSignal(0);
  const { data, error } = useLoad("code host", (signal) => codeHostApi.state(signal), revision.value);
  useSignIn(error);
  return (
    <SettingsPage title="Code host" isLoading={!data && !error}>
      {data ? (
        <>
          <Connection state={data} />
          {(data.receives || data.last_delivery_at !== null) && <Deliveries />}
        </>
      ) : error ? (
        <Failed error={error} retry={() => void revision.value++} />
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}
