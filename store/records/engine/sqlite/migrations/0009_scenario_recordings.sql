-- HARs that the clones of a scenario answer from, by the name that its frontmatter gives them.
create table scenario_recordings (
  scenario_id text not null references scenarios (id) on delete cascade,
  name text not null,
  hash text not null,
  -- zstd
  har blob not null,
  primary key (scenario_id, name)
) strict;
