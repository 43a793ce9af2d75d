import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { api } from "../../api/calls.ts";
import { goTo, query } from "../../router.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { readSignin, type SigninShown } from "./shown.ts";
import { SigninView } from "./view.tsx";

/** Where the reader wanted to go: a path of this server, nothing else. */
function wayBack(wanted: string): string {
  const url = URL.parse(wanted, location.origin);
  return url && url.origin === location.origin ? url.pathname + url.search : "/";
}

/** The sign-in page, which comes drawn; whoever was sent here by another page asks what there is to show. */
export function SigninPage(): JSX.Element {
  const shown = useSignal<SigninShown | null>(readSignin(document));
  const error = useSignal<unknown>(null);
  useEffect(() => {
    if (shown.peek()) return;
    const next = wayBack(query.peek().get("next") ?? "/");
    api.signinMethods().then(
      (methods) => {
        shown.value = { methods, next, email: "", notice: null, link: null };
      },
      (failure: unknown) => {
        error.value = failure;
      },
    );
  }, []);
  // Before the page can be seen, and left for the link.
  useLayoutEffect(() => {
    document.title = "Sign in · Tracedeck";
    // The link opens in a tab of its own; this one goes on where it was stopped.
    const look = (): void => {
      if (document.visibilityState !== "visible") return;
      api.me().then(
        () => goTo(wayBack(shown.peek()?.next ?? "/")),
        () => undefined,
      );
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  if (shown.value) return <SigninView shown={shown.value} />;
  return error.value ? <Failed error={error.value} /> : <Loading />;
}
