import type { Role } from "../../../store/records/schema.ts";
import { ROLES } from "../scopes.ts";

/** The mail that brings an invitation. Names are people's own words, so none of them begins a line of its own. */
export function invitationMail(invitation: { url: string; org: string; role: Role; by: string | null }): {
  subject: string;
  text: string;
} {
  const { url, org, role, by } = invitation;
  const text = [
    "You are invited to an organisation on Tracedeck.",
    "",
    `Organisation: ${oneLine(org)}`,
    `Role: ${role} (${ROLES[role].may})`,
    ...(by === null ? [] : [`Invited by: ${oneLine(by)}`]),
    "",
    url,
    "",
    "The link works once, within 7 days, for this address. If you did not expect it, ignore it: nothing happens.",
    "",
  ];
  return { subject: `You are invited to ${oneLine(org)}`, text: text.join("\n") };
}

const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").slice(0, 200);
