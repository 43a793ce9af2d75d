/** Removes all that a deleted org has left; payload `{ org_id }`. */
export const ERASE_ORG = "org.erase";
