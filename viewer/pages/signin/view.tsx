import type { JSX } from "preact";
import { Mark } from "../../ui/brand.tsx";
import { DOCS_OF_PAGE } from "../../ui/docs-places.ts";
import { CheckCircle, CrossCircle } from "../../ui/icons.tsx";
import { copyText } from "../../ui/toast.tsx";
import type { SigninShown } from "./shown.ts";

const COMMAND = "tracedeck signin";

/** Everything here works without a script: forms are sent and links followed by the browser itself. */
export function SigninView({ shown }: { shown: SigninShown }): JSX.Element {
  return (
    <main class="page-centre">
      <div class="signin">
        <div class="signin-head">
          <Mark />
          <h1 class="signin-title">Sign in to Tracedeck</h1>
        </div>
        {shown.notice && <Notice notice={shown.notice} />}
        {shown.link ? <Confirm link={shown.link} /> : <Ways shown={shown} />}
      </div>
    </main>
  );
}

function Notice({ notice }: { notice: NonNullable<SigninShown["notice"]> }): JSX.Element {
  const { isError, text, link } = notice;
  return (
    <p class={`notice ${isError ? "is-failed" : "is-passed"}`} role={isError ? "alert" : "status"}>
      {isError ? <CrossCircle /> : <CheckCircle />}
      <span>
        {text}
        {link && (
          <>
            {" "}
            <a href={link.href} rel="noreferrer">
              {link.words}
            </a>
          </>
        )}
      </span>
    </p>
  );
}

/** Programs that look at links in mail press no buttons, so that only a person uses the link up. */
function Confirm({ link }: { link: NonNullable<SigninShown["link"]> }): JSX.Element {
  return (
    <form class="signin-form" method="post" action="/v1/session/magic-link/use">
      <p>
        This link signs you in as <strong>{link.email}</strong>.
      </p>
      <input type="hidden" name="code" value={link.code} />
      <button type="submit" class="button is-primary signin-button">
        Sign in
      </button>
      <p class="dim">It works once. Were you not the one who asked for it, close this page.</p>
    </form>
  );
}

function Ways({ shown }: { shown: SigninShown }): JSX.Element {
  const { methods, next } = shown;
  const hasProvider = methods.sso !== null || methods.code_host !== null;
  const hasForm = methods.password || methods.link;
  const query = next === "/" ? "" : `?${new URLSearchParams({ next })}`;
  return (
    <>
      {/* The target keeps the viewer from taking these for pages of its own. */}
      {hasProvider && (
        <div class="signin-form">
          {methods.sso !== null && (
            <a
              class={`button signin-button${hasForm ? "" : " is-primary"}`}
              href={`/signin/sso${query}`}
              target="_self"
            >
              Continue with {methods.sso}
            </a>
          )}
          {methods.code_host !== null && (
            <a class="button signin-button" href={`/signin/code-host${query}`} target="_self">
              Continue with {methods.code_host}
            </a>
          )}
        </div>
      )}
      {hasProvider && hasForm && <p class="signin-or">or</p>}
      {hasForm && <Form shown={shown} />}
      <Terminal isOnly={!hasForm && !hasProvider} />
    </>
  );
}

function Form({ shown }: { shown: SigninShown }): JSX.Element {
  const { methods, next, email } = shown;
  return (
    <form class="signin-form" method="post" action="/v1/session/password">
      <input type="hidden" name="next" value={next} />
      <label class="signin-field">
        <span>Email</span>
        <input
          class="input"
          type="email"
          name="email"
          required
          maxLength={254}
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          defaultValue={email}
        />
      </label>
      {methods.password && (
        <label class="signin-field">
          <span>Password</span>
          <input
            class="input"
            type="password"
            name="password"
            maxLength={1000}
            autocomplete="current-password"
          />
        </label>
      )}
      {methods.password && (
        <button type="submit" class="button is-primary signin-button">
          Sign in
        </button>
      )}
      {methods.link && (
        <button
          type="submit"
          class={`button signin-button${methods.password ? "" : " is-primary"}`}
          formAction="/v1/session/magic-link"
        >
          {methods.is_mail_sent ? "Send me a link" : "Make me a link"}
        </button>
      )}
      {methods.link && !methods.is_mail_sent && (
        <p class="dim">
          This server sends no mail: a link is printed where it runs, and an admin finds it in the outbox.
        </p>
      )}
    </form>
  );
}

function Terminal({ isOnly }: { isOnly: boolean }): JSX.Element {
  return (
    <details class="signin-terminal" open={isOnly}>
      <summary>Sign in from the server's terminal</summary>
      <p>On the machine where the server runs, ask for a link and open it in this browser:</p>
      <div class="command">
        <code>{COMMAND}</code>
        <button type="button" class="button" onClick={() => copyText(COMMAND, "Command")}>
          Copy
        </button>
      </div>
      <p class="dim">
        It signs the owner in, once, within 10 minutes. <code>tracedeck serve</code> prints one too when it
        starts. <a href={DOCS_OF_PAGE.signin}>About signing in</a> in the docs, which need no sign-in.
      </p>
    </details>
  );
}
