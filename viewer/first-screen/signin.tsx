import { batch } from "@preact/signals";
import { renderToString } from "preact-render-to-string";
import { SIGNIN_DATA_ID, type SigninShown } from "../pages/signin/shown.ts";
import { SigninView } from "../pages/signin/view.tsx";
import { location_ } from "../router.ts";

/** The sign-in page as HTML, with what the viewer needs to take it over. */
export function renderSignin(shown: SigninShown) {
  batch(() => {
    location_.value = { path: "/signin", search: "" };
  });
  const inert = JSON.stringify(shown).replaceAll("<", "\\u003c");
  return {
    title: "Sign in · Tracedeck",
    markup: renderToString(<SigninView shown={shown} />),
    data: `<script type="application/json" id="${SIGNIN_DATA_ID}">${inert}</script>`,
  };
}
