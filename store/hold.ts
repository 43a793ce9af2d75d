export { holdFile } from "./records/engine/sqlite/hold.ts";
