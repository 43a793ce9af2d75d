import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import type { SsoTest, SsoView } from "../../../server/identity/sso/model.ts";
import { account } from "../../api/account.ts";
import { useSignIn } from "../../ui/failing.ts";
import { CheckCircle, CrossCircle } from "../../ui/icons.tsx";
import { Failed, Loading } from "../../ui/message.tsx";
import { CopyButton } from "../../ui/parts.tsx";
import { SettingsPage, SettingsSection } from "../../ui/settings-page.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { useSending } from "./profile-forms.tsx";

const SETTINGS = `"sso": {
  "issuer": "https://login.example.com",
  "client_id": "tracedeck",
  "client_secret": "…",
  "enforced": true,
  "verified_domains": ["example.com"],
  "status_page_url": "https://status.example.com"
}`;
const CODE_HOST_SETTINGS = `"code_host": {
  "oauth_client_id": "…",
  "oauth_client_secret": "…"
}`;

function Copied({ text, what }: { text: string; what: string }): JSX.Element {
  return (
    <span class="sso-copied">
      <code class="captured">{text}</code> <CopyButton text={text} what={what} />
    </span>
  );
}

const Row = ({ word, children }: { word: string; children: ComponentChildren }) => (
  <>
    <dt>{word}</dt>
    <dd>{children}</dd>
  </>
);

function Provider({ sso }: { sso: SsoView }): JSX.Element {
  return (
    <SettingsSection
      title="Identity provider"
      about={
        sso.is_configured
          ? "As settings.json of the server says. The server reads it when it starts."
          : "None is configured. Make an OpenID Connect client at your provider with this callback address, then write to settings.json of the server what the provider gives you, and start the server again:"
      }
    >
      {!sso.is_configured && <pre class="sso-settings">{SETTINGS}</pre>}
      <dl class="settings-facts">
        <Row word="Callback">
          <Copied text={sso.callback_url} what="Callback address" />
        </Row>
        {(sso.is_configured || sso.issuer !== null) && (
          <>
            <Row word="Issuer">{sso.issuer ?? "none"}</Row>
            <Row word="Client">{sso.client_id ?? "missing: write sso.client_id"}</Row>
            <Row word="Secret">{sso.has_client_secret ? "is set" : "none: a public client"}</Row>
            <Row word="Enforced">
              {sso.enforced
                ? "yes: members sign in with it and in no other way. The one-time link of tracedeck signin goes on working."
                : "no: members may sign in with a password or a link as well"}
            </Row>
            <Row word="Domains">
              {sso.verified_domains.length > 0
                ? `${sso.verified_domains.join(", ")}: whoever has a confirmed address there becomes a member`
                : "none: only members can sign in"}
            </Row>
            <Row word="Status page">{sso.status_page_url ?? "none"}</Row>
          </>
        )}
      </dl>
      {sso.is_configured && <Test />}
    </SettingsSection>
  );
}

function Test(): JSX.Element {
  const result = useSignal<SsoTest | null>(null);
  const { isSending, run } = useSending();
  const { value } = result;
  const test = () =>
    run(async () => {
      result.value = await account.testSso();
    });
  return (
    <div class="sso-test">
      <button type="button" class="button" disabled={isSending} onClick={() => void test()}>
        {isSending ? "Asking…" : "Test the connection"}
      </button>
      <p role="status" class={value ? (value.ok ? "is-passed" : "is-failed") : undefined}>
        {value && (
          <>
            {value.ok ? <CheckCircle /> : <CrossCircle />} {value.message}
          </>
        )}
      </p>
    </div>
  );
}

function CodeHost({ sso }: { sso: SsoView }): JSX.Element {
  return (
    <SettingsSection
      title="Code host"
      about={
        sso.code_host
          ? `Members sign in with ${sso.code_host} too, by the confirmed primary address that they have there.`
          : "People can sign in with their account at the code host. Make an OAuth app there with this callback address, and write:"
      }
    >
      {!sso.code_host && <pre class="sso-settings">{CODE_HOST_SETTINGS}</pre>}
      <dl class="settings-facts">
        <Row word="Callback">
          <Copied text={sso.code_host_callback_url} what="Callback address" />
        </Row>
      </dl>
    </SettingsSection>
  );
}

export function SsoPage(): JSX.Element {
  const revision = useSignal(0);
  const { data, error } = useLoad("sso", (signal) => account.sso(signal), revision.value);
  useSignIn(error);
  return (
    <SettingsPage title="Single sign-on" isLoading={!data && !error}>
      {data?.applies === false ? (
        <SettingsSection
          title="Identity provider"
          about="settings.json of the server names the provider of its first organisation; yours is another one."
        >
          {null}
        </SettingsSection>
      ) : data ? (
        <>
          <Provider sso={data} />
          <CodeHost sso={data} />
        </>
      ) : error ? (
        <Failed error={error} retry={() => void revision.value++} />
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}
