import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { GrantList, GrantView } from "../../../../server/identity/oauth/model.ts";
import { agentsApi } from "../../../api/agents.ts";
import { tellFailure, useSignIn } from "../../../ui/failing.ts";
import { Failed, Loading } from "../../../ui/message.tsx";
import { SettingsPage, SettingsSection } from "../../../ui/settings-page.tsx";
import { useLoad } from "../../../ui/use-load.ts";
import { useNow } from "../../../ui/use-now.ts";
import { Connect } from "./connect.tsx";
import { EndDialog, Grant } from "./grant.tsx";

function Grants({ first, reload }: { first: GrantList; reload: () => void }): JSX.Element {
  const ending = useSignal<GrantView | null>(null);
  const more = useSignal<GrantView[]>([]);
  const cursor = useSignal(first.next_cursor);
  const now = useNow(false);
  const grants = [...first.items, ...more.value];
  const loadMore = (): void => {
    agentsApi.grants(cursor.value).then((next) => {
      more.value = [...more.value, ...next.items];
      cursor.value = next.next_cursor;
    }, tellFailure);
  };
  if (grants.length === 0) return <p>Nobody has let an agent in yet. Connect one with its line above.</p>;
  return (
    <>
      <ul class="agents-list">
        {grants.map((grant) => (
          <Grant
            key={grant.id}
            grant={grant}
            now={now}
            canApprove={first.can_approve}
            onEnd={() => {
              ending.value = grant;
            }}
            reload={reload}
          />
        ))}
      </ul>
      {cursor.value !== null && (
        <button type="button" class="button" onClick={loadMore}>
          Show more
        </button>
      )}
      {ending.value && (
        <EndDialog
          grant={ending.value}
          onClose={() => {
            ending.value = null;
          }}
          onDone={reload}
        />
      )}
    </>
  );
}

/** Agents that have been let in, and how another is. */
export function AgentsPage(): JSX.Element {
  const revision = useSignal(0);
  const { data, error } = useLoad("grants", (signal) => agentsApi.grants(null, signal), revision.value);
  useSignIn(error);
  const reload = (): void => void revision.value++;
  return (
    <SettingsPage title="Connected agents" isLoading={!data && !error}>
      <Connect />
      <SettingsSection
        title="Let in"
        about="Each can do what is named here, and never more than whoever let it in. Without a use, access ends after 90 days."
      >
        {data ? (
          <Grants key={revision.value} first={data} reload={reload} />
        ) : error ? (
          <Failed error={error} retry={reload} />
        ) : (
          <Loading />
        )}
      </SettingsSection>
    </SettingsPage>
  );
}
