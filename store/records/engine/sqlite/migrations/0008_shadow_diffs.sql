-- Three runs of a scenario: twice against production, once against clones, and what these answered otherwise.
create table shadow_diffs (
  run_id text primary key references runs (id) on delete cascade,
  production_run_id text not null,
  repeated_run_id text not null,
  -- JSON, once the three have ended.
  result text
) strict, without rowid;
create unique index shadow_diffs_by_production on shadow_diffs (production_run_id);
create unique index shadow_diffs_by_repeated on shadow_diffs (repeated_run_id);
