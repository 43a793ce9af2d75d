import PostalMime, { type Address } from "postal-mime";
import type { Json } from "./types.ts";

/** Longer texts of a mail are cut: nobody reads more, and every mail is part of the recording. */
const LONGEST_TEXT = 64 * 1024;
const LONGEST_SUBJECT = 1000;
const MOST_LINKS = 50;
const MOST_ADDRESSES = 100;

/** A mail as `GET /messages` shows it. */
export interface Mail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
}

/** Reads a mail in the form in which it is sent (RFC 5322, MIME). */
export async function parseMail(raw: Uint8Array, envelope: { from: string; to: string[] }): Promise<Mail> {
  const { from, subject, text, html } = await PostalMime.parse(raw, { maxNestingDepth: 20 });
  return {
    from: addressOf(from) ?? envelope.from,
    to: envelope.to,
    subject: subject ?? "",
    text: text ?? "",
    html: html ?? "",
  };
}

const addressOf = (from: Address | undefined): string | null => from?.address || null;

/** A mail as it is kept: bounded, with what people look for in one taken out of it. */
export function keptMail(mail: Mail, { id, receivedAt }: { id: string; receivedAt: string }): Json {
  const text = mail.text || plainOf(mail.html);
  return {
    id,
    from: mail.from.slice(0, LONGEST_SUBJECT),
    to: mail.to.slice(0, MOST_ADDRESSES),
    subject: mail.subject.slice(0, LONGEST_SUBJECT),
    text: text.slice(0, LONGEST_TEXT),
    html: mail.html.slice(0, LONGEST_TEXT),
    code: codeIn(mail.subject) ?? codeIn(text),
    links: linksIn(mail, text),
    received_at: receivedAt,
  };
}

/** A one-time code: four to eight digits that stand alone, or letters and digits after the word "code". */
function codeIn(text: string): string | null {
  const digits = /(?<![\w.,#/:+-])\d{4,8}(?![\w,/:-]|\.\d)/.exec(text)?.[0];
  if (digits !== undefined) return digits;
  return /\bcode(?: is)?:?\s+((?=[A-Z0-9-]*\d)[A-Z0-9][A-Z0-9-]{3,11})\b/i.exec(text)?.[1] ?? null;
}

function linksIn({ html }: Mail, text: string): string[] {
  const quoted = [...html.slice(0, LONGEST_TEXT).matchAll(/\bhref\s*=\s*["'](https?:[^"']{1,2000})["']/gi)];
  const plain = [...text.slice(0, LONGEST_TEXT).matchAll(/https?:\/\/[^\s<>"')\]]{1,2000}/gi)];
  const found = [
    ...quoted.map(([, address = ""]) => address.replaceAll("&amp;", "&")),
    ...plain.map(([address]) => address.replace(/(?<![.,;:!?])[.,;:!?]+$/, "")),
  ];
  return [...new Set(found)].slice(0, MOST_LINKS);
}

function plainOf(html: string): string {
  return html
    .slice(0, LONGEST_TEXT)
    .replace(/<(style|script)\b[^<>]*>[\s\S]*?(?:<\/\1>|$)/gi, "")
    .replace(/<br\b[^<>]*>|<\/(?:p|div|tr|h[1-6]|li)>/gi, "\n")
    .replace(/<[^<>]*>/g, "")
    .replaceAll("&nbsp;", " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}
