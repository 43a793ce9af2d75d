import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { api } from "../api/calls.ts";
import { type OpenedInvitation, orgApi } from "../api/orgs.ts";
import { ApiError, errorText } from "../api/request.ts";
import { Mark } from "../ui/brand.tsx";
import { Failed, Loading } from "../ui/message.tsx";
import { useLoad } from "../ui/use-load.ts";
import { ROLE_WORDS } from "./settings/parts/roles.ts";

/** Where the token waits while its holder signs in in this tab: an address with it would reach the server's log. */
const KEPT = "tracedeck.invitation";

/** The token after # of the link, or of the link that was opened before signing in. */
function readToken(): string {
  const given = location.hash.slice(1);
  if (given !== "") sessionStorage.setItem(KEPT, given);
  return given || (sessionStorage.getItem(KEPT) ?? "");
}

const SignIn = (): JSX.Element => (
  <a class="button is-primary" href="/signin?next=%2Finvitation">
    Sign in
  </a>
);

/** Joining as somebody new, or as who is signed in with the invitation's address. */
function Join({ token, invitation }: { token: string; invitation: OpenedInvitation }): JSX.Element {
  const { email, signed_in_as } = invitation;
  const name = useSignal("");
  const password = useSignal("");
  const isBusy = useSignal(false);
  const problem = useSignal<unknown>(null);
  const join = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    try {
      await orgApi.accept(token, {
        ...(name.value.trim() && { name: name.value.trim() }),
        ...(password.value && { password: password.value }),
      });
      sessionStorage.removeItem(KEPT);
      location.assign("/traces");
    } catch (error) {
      problem.value = error;
    }
    isBusy.value = false;
  };
  const needsSignIn = problem.value instanceof ApiError && problem.value.status === 401;
  const isNew = signed_in_as === null && !needsSignIn;
  return (
    <form class="settings-form invitation-form" onSubmit={(event) => void join(event)}>
      {isNew && (
        <label class="settings-field">
          <span>Your name</span>
          <input
            class="input"
            required
            maxLength={200}
            autoComplete="name"
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
      {isNew && (
        <label class="settings-field">
          <span>A password, if you want one: at least 12 characters</span>
          <input
            class="input"
            type="password"
            minLength={12}
            autoComplete="new-password"
            value={password.value}
            onInput={(event) => {
              password.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
      {problem.value !== null && (
        <p class={needsSignIn ? "" : "is-failed"} role="alert">
          {needsSignIn ? `${email} has an account here: sign in with it first.` : errorText(problem.value)}
        </p>
      )}
      <div class="settings-actions">
        {needsSignIn ? (
          <SignIn />
        ) : (
          <button type="submit" class="button is-primary" disabled={isBusy.value}>
            Join
          </button>
        )}
      </div>
      {isNew && (
        <p class="dim">
          Have you an account with this address? <a href="/signin?next=%2Finvitation">Sign in</a> first.
        </p>
      )}
    </form>
  );
}

function Elsewhere({ invitation }: { invitation: OpenedInvitation }): JSX.Element {
  const signOut = async (): Promise<void> => {
    await api.signOut();
    location.reload();
  };
  return (
    <>
      <p>
        It is for {invitation.email}, and you are signed in as {invitation.signed_in_as}.
      </p>
      <button type="button" class="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </>
  );
}

export function InvitationPage(): JSX.Element {
  useLayoutEffect(() => {
    document.title = "Invitation · Tracedeck";
  }, []);
  const revision = useSignal(0);
  const token = readToken();
  const { data, error } = useLoad(
    token || "none",
    () => orgApi.openInvitation(token || "none"),
    revision.value,
  );
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <main class="page-centre">
      <div class="signin invitation">
        <Mark />
        {data ? (
          <>
            <h1 class="signin-title">Join {data.org_name}</h1>
            <p>
              {data.email} is invited as <strong>{data.role}</strong>: {ROLE_WORDS[data.role]}.
            </p>
            {data.signed_in_as === null || data.signed_in_as === data.email ? (
              <Join token={token} invitation={data} />
            ) : (
              <Elsewhere invitation={data} />
            )}
          </>
        ) : isGone ? (
          <>
            <h1 class="signin-title">This invitation no longer works</h1>
            <p>
              It was used, revoked or replaced by a newer one, or it is older than 7 days. Ask whoever sent it
              for a new one.
            </p>
          </>
        ) : error ? (
          <Failed error={error} retry={() => void revision.value++} />
        ) : (
          <Loading />
        )}
      </div>
    </main>
  );
}
