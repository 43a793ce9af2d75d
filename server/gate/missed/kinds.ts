/** The job that asks the code host what it told while nobody was here; payload `{}`. */
export const FIND_MISSED = "inbound.missed";
