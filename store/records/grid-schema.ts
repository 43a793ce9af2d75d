/** Rows of the grid. Times are integer milliseconds UTC. */
export interface GridTables {
  /** One per scenario and region that had a result. */
  grid_cells: {
    scenario_id: string;
    region: string;
    org_id: string;
    last_run_id: string;
    /** When that run ended. */
    last_run_at: number;
    last_status: "passed" | "failed" | "error";
    /** JSON array of `HistoryStatus`, oldest first. */
    history: string;
    p50_ms: number | null;
    p99_ms: number | null;
  };
}

/** What came of a fire: of one without a run, or whose run could not be made, nothing is known. */
export type HistoryStatus = "passing" | "failing" | "no_data";
