import type { Records } from "../../store/records/db.ts";

/** Records whose process dies by SIGKILL at its statement that writes after so many others. */
export function dyingRecords(records: Records, writesLeft: number): Records {
  let writes = 0;
  return records.withPlugin({
    transformQuery({ node }) {
      const isWrite = /^(Insert|Update|Delete)QueryNode$/.test(node.kind);
      if (isWrite && ++writes > writesLeft) process.kill(process.pid, "SIGKILL");
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}
