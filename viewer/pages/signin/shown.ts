import type { Methods } from "../../../server/identity/signin/model.ts";

/** What the sign-in page shows. */
export interface SigninShown {
  methods: Methods;
  /** A path of this server to go to afterwards. */
  next: string;
  /** What was typed before. */
  email: string;
  notice: { isError: boolean; text: string; link?: { href: string; words: string } } | null;
  /** A link that was opened, and is to be confirmed. */
  link: { code: string; email: string } | null;
}

export const SIGNIN_DATA_ID = "signin-data";

/** What a page that the server has drawn shows; null when it is another page. */
export function readSignin(page: Document): SigninShown | null {
  const text = page.getElementById(SIGNIN_DATA_ID)?.textContent;
  return text ? (JSON.parse(text) as SigninShown) : null;
}
