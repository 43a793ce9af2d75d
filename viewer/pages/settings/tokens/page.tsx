import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { KeyView } from "../../../../server/identity/keys/model.ts";
import type { Me } from "../../../../server/identity/me/model.ts";
import { api } from "../../../api/calls.ts";
import { useSignIn } from "../../../ui/failing.ts";
import { Failed, Loading, Message } from "../../../ui/message.tsx";
import { SettingsPage, SettingsSection } from "../../../ui/settings-page.tsx";
import { useLoad } from "../../../ui/use-load.ts";
import { useNow } from "../../../ui/use-now.ts";
import { tokensApi } from "./api.ts";
import { CreateToken } from "./create.tsx";
import { TokenList } from "./list.tsx";
import { KIND_NAMES, KIND_WORDS } from "./words.ts";

type Kind = KeyView["kind"];
const KINDS: readonly Kind[] = ["pat", "svc", "sk"];
/** From how many on a search helps. */
const SEARCHED_FROM = 8;

/** Keys and tokens: what kinds there are, which there are, and making one. */
export function TokensPage(): JSX.Element {
  const revision = useSignal(0);
  const load = (signal: AbortSignal): Promise<{ me: Me; keys: KeyView[] }> =>
    Promise.all([api.me(signal), tokensApi.list(signal)]).then(([me, keys]) => ({ me, keys }));
  const { data, error } = useLoad("tokens", load, revision.value);
  useSignIn(error);
  const again = (): void => void revision.value++;
  return (
    <SettingsPage title="Tokens and keys" isLoading={!data && !error}>
      {data ? (
        <Tokens {...data} onChange={again} />
      ) : error ? (
        <Failed error={error} retry={again} />
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}

function Tokens({ me, keys, onChange }: { me: Me; keys: KeyView[]; onChange: () => void }): JSX.Element {
  const now = useNow(false);
  const [isMaking, setMaking] = useState(false);
  const [search, setSearch] = useState("");
  const [kind, setKind] = useState<Kind | "">("");
  const isManager = me.scopes.includes("keys:manage");
  const decides = isManager && (me.org.role === "owner" || me.org.role === "admin");
  const wanted = search.trim().toLowerCase();
  const shown = keys.filter(
    (key) =>
      (kind === "" || key.kind === kind) &&
      `${key.name} ${key.prefix} ${key.made_by?.name ?? ""}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <SettingsSection
        title="Kinds"
        about="Programs send one of these as Authorization: Bearer. Each does what its scopes name, and nothing else."
      >
        <dl class="settings-facts token-kinds">
          {(isManager ? KINDS : (["pat"] as const)).map((one) => (
            <div key={one}>
              <dt>{KIND_NAMES[one]}</dt>
              <dd>{KIND_WORDS[one]}</dd>
            </div>
          ))}
        </dl>
      </SettingsSection>
      <SettingsSection title={isManager ? "Keys and tokens of the organisation" : "Your tokens"}>
        <div class="token-bar">
          <button type="button" class="button is-primary" onClick={() => setMaking(true)}>
            Create token
          </button>
          {decides && (
            <a class="button" href="/settings/tokens/verify">
              Verify an agent
            </a>
          )}
          {keys.length >= SEARCHED_FROM && (
            <>
              <input
                type="search"
                class="input"
                aria-label="Search keys and tokens"
                placeholder="Name, prefix or maker"
                value={search}
                onInput={(event) => setSearch(event.currentTarget.value)}
              />
              {isManager && (
                <select
                  class="select"
                  aria-label="Kind"
                  value={kind}
                  onChange={(event) => setKind(event.currentTarget.value as Kind | "")}
                >
                  <option value="">All kinds</option>
                  {KINDS.map((one) => (
                    <option key={one} value={one}>
                      {KIND_NAMES[one]}
                    </option>
                  ))}
                </select>
              )}
            </>
          )}
        </div>
        {keys.length === 0 ? (
          <Message title="There is no token yet">
            Make one for a script, for CI or for an agent. Its secret is shown once.
          </Message>
        ) : shown.length === 0 ? (
          <p class="dim">None of {keys.length} has this name, prefix or maker.</p>
        ) : (
          <TokenList keys={shown} now={now} onChange={onChange} />
        )}
      </SettingsSection>
      {isMaking && <CreateToken me={me} onMade={onChange} onClose={() => setMaking(false)} />}
    </>
  );
}
