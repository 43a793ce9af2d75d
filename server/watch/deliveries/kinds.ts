/** The job that makes one attempt at one message; payload `{ delivery_id }`. */
export const DELIVER = "notification.deliver";
