import type { FillableRecords } from "../../../helpers/records.ts";

/** What every engine keeps for one noun: a file of `store/records`. Each sentence starts with empty records and one org. */
export interface Contract {
  noun: string;
  keeps: Record<string, (on: FillableRecords) => Promise<void>>;
}
