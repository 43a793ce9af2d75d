/** Sends one mail. */
export const SEND_MAIL = "mail.send";
