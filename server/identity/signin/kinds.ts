/** Sends somebody a link to sign in with, if they have an account. */
export const SEND_LINK = "signin.link";
