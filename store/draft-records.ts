export { draftRecords, filesOfDatabase } from "./records/engine/sqlite/draft.ts";
