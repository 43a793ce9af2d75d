import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignupView } from "../../../../server/identity/agent-signup/model.ts";
import type { KeyView } from "../../../../server/identity/keys/model.ts";
import type { Me } from "../../../../server/identity/me/model.ts";
import { api } from "../../../api/calls.ts";
import { errorText } from "../../../api/request.ts";
import { isDealtWith, useSignIn } from "../../../ui/failing.ts";
import { formatAgo } from "../../../ui/format.ts";
import { CheckCircle, Warning } from "../../../ui/icons.tsx";
import { Failed, Loading } from "../../../ui/message.tsx";
import { SettingsPage, SettingsSection } from "../../../ui/settings-page.tsx";
import { useLoad } from "../../../ui/use-load.ts";
import { tokensApi } from "./api.ts";
import { chosenExpiry, ExpiryChoice, ScopeChoice } from "./scopes.tsx";
import { expiryWords } from "./words.ts";

type Step =
  | { at: "code" }
  | { at: "decision"; code: string; signup: SignupView }
  | { at: "granted"; key: KeyView }
  | { at: "refused"; name: string };

/** Where a person types the code that an agent shows, sees what asks, and decides. The address never holds the code. */
export function VerifyAgentPage(): JSX.Element {
  const { data: me, error } = useLoad("me", (signal) => api.me(signal));
  useSignIn(error);
  const [step, setStep] = useState<Step>({ at: "code" });
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function go(next: () => Promise<Step>): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      setStep(await next());
    } catch (failure) {
      if (!isDealtWith(failure)) setProblem(errorText(failure));
    }
    setBusy(false);
  }
  const told = problem && (
    <p class="is-failed captured" role="alert">
      {problem}
    </p>
  );
  return (
    <SettingsPage title="Verify an agent" isLoading={!me && !error}>
      {!me ? (
        error ? (
          <Failed error={error} />
        ) : (
          <Loading />
        )
      ) : step.at === "code" ? (
        <EnterCode
          isBusy={isBusy}
          onCode={(code) =>
            void go(async () => ({ at: "decision", code, signup: await tokensApi.lookUp(code) }))
          }
        >
          {told}
        </EnterCode>
      ) : step.at === "decision" ? (
        <Decide
          me={me}
          {...step}
          isBusy={isBusy}
          onGrant={(scopes, expiresAt) =>
            void go(async () => ({ at: "granted", key: await tokensApi.grant(step.code, scopes, expiresAt) }))
          }
          onRefuse={() =>
            void go(async () => {
              await tokensApi.refuse(step.code);
              return { at: "refused", name: step.signup.name };
            })
          }
        >
          {told}
        </Decide>
      ) : (
        <SettingsSection title="Done">
          <p class="token-once">
            <CheckCircle class={step.at === "granted" ? "is-passed" : "is-quiet"} />
            {step.at === "granted" ? (
              <span>
                <strong class="captured">{step.key.name}</strong> may do what you chose,{" "}
                {expiryWords(step.key.expires_at, Date.now()).words}.
              </span>
            ) : (
              <span>
                <strong class="captured">{step.name}</strong> is refused. Its token has ended.
              </span>
            )}
          </p>
          <a class="button" href="/settings/tokens">
            All tokens and keys
          </a>
        </SettingsSection>
      )}
    </SettingsPage>
  );
}

function EnterCode({
  onCode,
  isBusy,
  children,
}: {
  onCode: (code: string) => void;
  isBusy: boolean;
  children: JSX.Element | "" | null;
}): JSX.Element {
  return (
    <SettingsSection
      title="The code that your agent shows"
      about="An agent that you started has asked for a token by itself, and shows you eight letters. Type them here, and you see what it is before you decide."
    >
      <form
        class="token-code"
        onSubmit={(event) => {
          event.preventDefault();
          onCode(String(new FormData(event.currentTarget).get("code")));
        }}
      >
        <input
          class="input mono"
          name="code"
          aria-label="Code"
          placeholder="XXXX-XXXX"
          required
          maxLength={40}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          autofocus
        />
        <button type="submit" class="button is-primary" disabled={isBusy}>
          Look it up
        </button>
      </form>
      {children}
      <p class="dim">Did somebody send you a code? Then it is not your agent: leave it.</p>
    </SettingsSection>
  );
}

function Decide({
  me,
  code,
  signup,
  isBusy,
  onGrant,
  onRefuse,
  children,
}: {
  me: Me;
  code: string;
  signup: SignupView;
  isBusy: boolean;
  onGrant: (scopes: string[], expiresAt: string | null) => void;
  onRefuse: () => void;
  children: JSX.Element | "" | null;
}): JSX.Element {
  const chosen = useSignal<ReadonlySet<string>>(new Set(signup.scopes));
  return (
    <SettingsSection title="What asks">
      <dl class="settings-facts">
        <dt>Agent</dt>
        <dd class="captured">{signup.name}</dd>
        <dt>Wants to</dt>
        <dd class="captured">{signup.purpose}</dd>
        <dt>Asked</dt>
        <dd>
          {formatAgo(signup.created_at, Date.now())}
          {signup.ip && ` from ${signup.ip}`}
        </dd>
        <dt>Code</dt>
        <dd class="mono">{code.toUpperCase()}</dd>
      </dl>
      <p class="token-once">
        <Warning /> The agent calls itself so: nobody has checked it. Grant only what you started yourself.
      </p>
      <form
        class="token-form"
        onSubmit={(event) => {
          event.preventDefault();
          onGrant([...chosen.value], chosenExpiry(new FormData(event.currentTarget)));
        }}
      >
        <div class="token-fields">
          <ExpiryChoice mayBeEndless />
        </div>
        <ScopeChoice scopes={me.scopes} chosen={chosen} />
        {children}
        <div class="token-bar">
          <button
            type="submit"
            class="button is-primary"
            disabled={isBusy || chosen.value.size === 0}
          >{`Grant ${chosen.value.size} ${chosen.value.size === 1 ? "scope" : "scopes"}`}</button>
          <button type="button" class="button is-danger" disabled={isBusy} onClick={onRefuse}>
            Refuse
          </button>
        </div>
      </form>
    </SettingsSection>
  );
}
