/** Rows of what results came to. Times are integer milliseconds UTC. */
export interface GridTables {
  /** What the results of a scenario in a region came to in an hour. */
  result_hours: {
    scenario_id: string;
    region: string;
    /** When the hour begins. */
    hour: number;
    org_id: string;
    up_ms: number;
    down_ms: number;
    maintenance_ms: number;
    passed: number;
    failed: number;
    errors: number;
    /** JSON object: how many passed runs took how long, by the number of the class. */
    durations: string;
  };
  /** The newest result that is in the hours of its series. */
  result_folds: {
    scenario_id: string;
    region: string;
    org_id: string;
    run_id: string;
    at: number;
    status: "passed" | "failed" | "error";
  };
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
