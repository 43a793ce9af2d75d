import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { SessionView } from "../../../server/identity/sessions/model.ts";
import { account } from "../../api/account.ts";
import { tellFailure, useSignIn } from "../../ui/failing.ts";
import { formatAgo, formatWall } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { SettingsPage, SettingsSection } from "../../ui/settings-page.tsx";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";

const METHODS: Record<SessionView["method"], string> = {
  link: "a link of the server's terminal",
  password: "password",
  magic_link: "a link by mail",
  sso: "the identity provider",
  code_host: "the code host",
  invitation: "an invitation",
};

function Session({ session, end }: { session: SessionView; end: () => void }): JSX.Element {
  const now = useNow(false);
  const { device, ip, method, created_at, last_seen_at, is_current } = session;
  return (
    <li class="account-row">
      <div>
        <p class="account-row-title">
          {device}
          {is_current && <span class="account-badge">this one</span>}
        </p>
        <p class="dim">
          {ip ?? "address unknown"} · by {METHODS[method]} · since {formatWall(created_at)}
          {!is_current && ` · last seen ${formatAgo(last_seen_at, now)}`}
        </p>
      </div>
      {!is_current && (
        <button type="button" class="button" onClick={end} aria-label={`End the session of ${device}`}>
          End
        </button>
      )}
    </li>
  );
}

export function SessionsPage(): JSX.Element {
  const revision = useSignal(0);
  const { data, error } = useLoad("sessions", (signal) => account.sessions(signal), revision.value);
  useSignIn(error);
  const again = () => void revision.value++;
  const end = (id: string) => account.endSession(id).catch(tellFailure).then(again);
  const endOthers = () =>
    account
      .endOtherSessions()
      .then(({ ended }) => notify(ended === 1 ? "One session has ended." : `${ended} sessions have ended.`))
      .catch(tellFailure)
      .then(again);
  const others = data?.items.filter(({ is_current }) => !is_current).length ?? 0;
  return (
    <SettingsPage title="Sessions" isLoading={!data && !error}>
      {data ? (
        <SettingsSection
          title="Where you are signed in"
          about="A session lasts until 30 days after it was last used. One that you end is over at once."
        >
          <ul class="account-list">
            {data.items.map((session) => (
              <Session key={session.id} session={session} end={() => void end(session.id)} />
            ))}
          </ul>
          {others > 0 && (
            <button type="button" class="button" onClick={() => void endOthers()}>
              End all others
            </button>
          )}
        </SettingsSection>
      ) : error ? (
        <Failed error={error} retry={again} />
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}
