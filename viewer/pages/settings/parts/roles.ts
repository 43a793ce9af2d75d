import type { Role } from "../../../api/orgs.ts";

/** What each role may do, as the choice of one says it. */
export const ROLE_WORDS: Record<Role, string> = {
  owner: "everything",
  admin: "everything but deleting or transferring the organisation",
  member: "scenarios, runs, traces, incidents, fixes, chat",
  billing: "plan and usage only",
};

const ROLES = Object.keys(ROLE_WORDS) as Role[];

/** The roles that somebody of a role may give: owners are made by owners. */
export const rolesToGive = (own: Role | null): Role[] =>
  ROLES.filter((role) => own === "owner" || role !== "owner");

/** Whether a role manages members, secrets and the org. */
export const isManager = (role: string | null): boolean => role === "owner" || role === "admin";
