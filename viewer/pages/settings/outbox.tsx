import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { MailView } from "../../../server/identity/mail/model.ts";
import { account } from "../../api/account.ts";
import { tellFailure, useSignIn } from "../../ui/failing.ts";
import { formatWall } from "../../ui/format.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { SettingsPage, SettingsSection } from "../../ui/settings-page.tsx";
import { useLoad } from "../../ui/use-load.ts";

const STATES: Record<MailView["state"], string> = {
  waiting: "waits here",
  queued: "is being sent",
  sent: "sent",
  failed: "could not be sent",
};
const HIDDEN = {
  wiped: "Its text is gone: it had a link that was sent, was used or has expired.",
  on_its_way: "It has a link, and the mail server gets it.",
  not_yours: "Its link opens the account of somebody who may do more than you, or gives a role that may.",
};

function Body({ id }: { id: string }): JSX.Element {
  const { data, error } = useLoad(`mail ${id}`, (signal) => account.mail(id, signal));
  if (error) return <Failed error={error} />;
  if (!data) return <Loading />;
  if (data.hidden !== null) return <p class="dim">{HIDDEN[data.hidden]}</p>;
  return <pre class="outbox-text captured">{data.text}</pre>;
}

function Mail({ mail }: { mail: MailView }): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <li>
      <details
        class="outbox-mail"
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open;
        }}
      >
        <summary>
          <span class="account-row-title">{mail.subject}</span>
          <span class="dim">
            {mail.to} · {formatWall(mail.created_at)} ·{" "}
            <span class={mail.state === "failed" ? "is-failed" : undefined}>{STATES[mail.state]}</span>
          </span>
        </summary>
        {mail.error && <p class="is-failed">{mail.error}</p>}
        {isOpen.value && <Body id={mail.id} />}
      </details>
    </li>
  );
}

export function OutboxPage(): JSX.Element {
  const revision = useSignal(0);
  const more = useSignal<{ items: MailView[]; next: string | null } | null>(null);
  const { data, error } = useLoad("mails", (signal) => account.mails(null, signal), revision.value);
  useSignIn(error);
  const next = more.value ? more.value.next : (data?.next_cursor ?? null);
  const mails = [...(data?.items ?? []), ...(more.value?.items ?? [])];
  const loadMore = () =>
    account.mails(next).then((page) => {
      more.value = { items: [...(more.peek()?.items ?? []), ...page.items], next: page.next_cursor };
    }, tellFailure);
  return (
    <SettingsPage title="Outbox" isLoading={!data && !error}>
      {data ? (
        <SettingsSection
          title="What the server has written"
          about={
            data.is_sent
              ? "Mail goes out by the mail server of settings.json and is kept here for 30 days."
              : "This server has no mail server (notifications.smtp in settings.json): mail waits here for 30 days. Pass on what somebody needs."
          }
        >
          {mails.length === 0 ? (
            <Message title="No mail yet">
              Sign-in links, invitations and notifications by mail are listed here.
            </Message>
          ) : (
            <ul class="account-list">
              {mails.map((mail) => (
                <Mail key={mail.id} mail={mail} />
              ))}
            </ul>
          )}
          {next !== null && (
            <button type="button" class="button" onClick={() => void loadMore()}>
              Show older ones
            </button>
          )}
        </SettingsSection>
      ) : error ? (
        <Failed error={error} retry={() => void revision.value++} />
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}
