-- What earlier passes saw of the elements that a scenario acts on, by the target as the scenario names it.
create table fingerprints (
  scenario_id text not null references scenarios (id) on delete cascade,
  element text not null,
  fingerprint text not null,
  seen_at integer not null,
  primary key (scenario_id, element)
) strict, without rowid;

-- JSON: the targets that were found by what earlier passes saw of them, or null.
alter table runs add column heals text;
