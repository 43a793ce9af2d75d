/** The job that makes one attempt at one message; payload `{ delivery_id }`. */
export const DELIVER = "notification.deliver";
/** The job that hears what came of an attempt at a message's mail; payload `{ delivery_id }` and `MailNews`. */
export const MAIL_TRIED = "notification.mail_tried";
