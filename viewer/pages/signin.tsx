import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { api } from "../api/calls.ts";
import { goTo, query } from "../router.ts";
import { Mark } from "../ui/brand.tsx";
import { DOCS_OF_PAGE } from "../ui/docs-places.ts";
import { CrossCircle } from "../ui/icons.tsx";
import { copyText } from "../ui/toast.tsx";

const COMMAND = "tracedeck signin";

/** Why a link did not work. Anything but the known reasons is told in general words: the address is not to be trusted. */
function reason(code: string): string {
  if (code === "expired") return "That sign-in link has expired. Links work for 10 minutes.";
  if (code === "used") return "That sign-in link was used before. Each link works once.";
  return "That sign-in link does not work. It may have expired (after 10 minutes) or have been used before.";
}

/** Where the reader wanted to go: a path of this server, nothing else. */
function wayBack(): string {
  const next = query.peek().get("next") ?? "/traces";
  const url = URL.parse(next, location.origin);
  return url && url.origin === location.origin ? url.pathname + url.search : "/traces";
}

export function SigninPage(): JSX.Element {
  // Before the page can be seen, and left for the link.
  useLayoutEffect(() => {
    document.title = "Sign in · Tracedeck";
    // The link opens in a tab of its own; this one goes on where it was stopped.
    const look = (): void => {
      if (document.visibilityState !== "visible") return;
      api.me().then(
        () => goTo(wayBack()),
        () => undefined,
      );
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const error = query.value.get("error");
  return (
    <main class="page-centre">
      <div class="signin">
        <Mark />
        <h1 class="signin-title">Sign in to Tracedeck</h1>
        {error !== null && (
          <p class="notice is-failed" role="alert">
            <CrossCircle /> {reason(error)}
          </p>
        )}
        <p>On the machine where the server runs, ask for a sign-in link and open it in this browser:</p>
        <div class="command">
          <code>{COMMAND}</code>
          <button type="button" class="button" onClick={() => copyText(COMMAND, "Command")}>
            Copy
          </button>
        </div>
        <p class="dim">
          The link opens this page signed in. It works once, for 10 minutes; the session then lasts 30 days.
          <br />
          <code>tracedeck serve</code> prints one too when it starts.
          <br />
          <a href={DOCS_OF_PAGE.signin}>About signing in</a> in the docs, which need no sign-in.
        </p>
      </div>
    </main>
  );
}
