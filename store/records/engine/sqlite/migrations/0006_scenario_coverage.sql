-- Paths of the scripts and style sheets that runs of a scenario have used, as pages ask for them.
create table scenario_coverage (
  scenario_id text not null references scenarios (id) on delete cascade,
  path text not null,
  updated_at integer not null,
  primary key (scenario_id, path)
) strict, without rowid;
